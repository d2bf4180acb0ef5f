-- The pages of the site: docs/site/build writes them into $SITE_WORK/pages, a line each: path, section, title.
-- The site has the folders of the repository: docs/x.md is docs/x.html, a README.md the index.html of its folder.
local pages = {list = {}, by_path = {}}

local function address(path)
    local folder, name = path:match("^(.-)([^/]*)$")
    if name == "README.md" then return folder .. "index.html" end
    return folder .. name:gsub("%.md$", "") .. ".html"
end

for line in io.lines(os.getenv("SITE_WORK") .. "/pages") do
    local path, section, title = line:match("^([^\t]*)\t([^\t]*)\t(.*)$")
    local page = {path = path, section = section, title = title, address = address(path), place = #pages.list + 1}
    page.label = title:match("^(.-): ") or title -- of "input-bound: waiting for input" the first half
    pages.list[page.place] = page
    pages.by_path[path] = page
end

-- From a page back to the top of the site: "" or "../", "../../" …
function pages.root(from)
    return (from:gsub("[^/]*$", ""):gsub("[^/]+/", "../"))
end

-- A path without . and .. in it; nil where it leaves the repository.
function pages.normalized(path)
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == ".." then
            if #parts == 0 then return nil end
            table.remove(parts)
        elseif part ~= "." then
            parts[#parts + 1] = part
        end
    end
    return table.concat(parts, "/")
end

function pages.escaped(text)
    return (text:gsub("[&<>\"]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}))
end

return pages
