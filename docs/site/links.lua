-- Links between files of the repository become links between pages of the site. What a page links to that is no page, a source
-- file or a folder, is written into $SITE_WORK/linked, and docs/site/build makes a page of it too.
local pages = require "pages"

local links = {}

local function exists(path)
    local file = io.open(path)
    if file then file:close() end
    return file ~= nil
end

function links.is_folder(path)
    local file = io.open(path)
    if not file then return false end
    local _, problem = file:read(1) -- a folder can be opened, but not read
    file:close()
    return problem ~= nil
end

local function note_linked(path)
    local file = assert(io.open(os.getenv("SITE_WORK") .. "/linked", "a"))
    file:write(path, "\n")
    file:close()
end

-- Where the site has a file that is no page: as code, a folder as a list of what is in it, a picture as it is.
function links.address_of_linked(path)
    if links.is_folder(path) then return path .. "/index.html" end
    return path:match("%.svg$") and path or path:match("%.png$") and path or path .. ".html"
end

local function address_of(path)
    local page = pages.by_path[path] or pages.by_path[path .. "/README.md"]
    if page then return page.address end
    note_linked(path)
    return links.address_of_linked(path)
end

-- The path in the repository that a link of the page at `from` (a path) means, and its anchor; nil for links that stay as they are.
-- It ends the build where the link leads nowhere.
local function meant(from, target)
    if target:match("^%a[%w+.-]*:") or target:match("^#") then return nil end
    local path, anchor = target:match("^([^#]*)(.*)$")
    local whole = pages.normalized(from:gsub("[^/]*$", "") .. path)
    if not whole or not exists(whole) then
        error(from .. ": the link to " .. target .. " leads nowhere", 0)
    end
    if whole:match("%.md$") and not pages.by_path[whole] then
        error(from .. ": links to " .. whole .. ", which is in no section of docs/site/sections", 0)
    end
    return whole, anchor
end

function links.rewritten(from, target)
    local path, anchor = meant(from, target)
    return path and pages.root(from) .. address_of(path) .. anchor or target
end

-- A link whose text is the name of the page's file says the page's name instead.
function links.named(from, link)
    local text = pandoc.utils.stringify(link)
    local path = meant(from, link.target)
    local page = path and pages.by_path[path]
    if page and text:match("^[%w/._-]+%.md$") then return {pandoc.Str(page.label)} end
    return link.content
end

return links
