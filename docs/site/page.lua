-- The pandoc filter that makes pages of the site, of Markdown files and of any other text files and folders as code and lists:
-- those that $SITE_BATCH names. A process of pandoc takes longer to begin than a page, so one makes many: each page begins with
-- a line <!--page ADDRESS-->, where docs/site/page parts them.
local HERE = PANDOC_SCRIPT_FILE:gsub("[^/]*$", "")
package.path = HERE .. "?.lua;" .. package.path
local diagram = require "diagram"
local links = require "links"
local navigation = require "navigation"
local pages = require "pages"
local search_index = require "search_index"

local LANGUAGES = {py = "python", sh = "sh", sbatch = "sh", yaml = "yaml", yml = "yaml", json = "json", c = "c", h = "c"}
local MARKDOWN = "gfm-emoji-yaml_metadata_block-footnotes" -- notes would stand behind the last page
local GALLERY = "docs/gallery.md"

local function file_text(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end

-- A file that is no Markdown: its name and its text; of a folder, links to what is in it.
local function blocks_of_file(path)
    local blocks = {pandoc.Header(1, pandoc.Code(path))}
    if links.is_folder(path) then
        local items = {}
        for name in pandoc.pipe("ls", {path}, ""):gmatch("[^\n]+") do
            if name ~= "__pycache__" then items[#items + 1] = {pandoc.Plain(pandoc.Link(pandoc.Code(name), name))} end
        end
        blocks[2] = pandoc.BulletList(items)
    else
        local language = LANGUAGES[path:match("%.(%w+)$")]
        blocks[2] = pandoc.CodeBlock(file_text(path), pandoc.Attr("", language and {language} or {}))
    end
    return blocks
end

-- A command of the gallery is followed by a link to the report that it wrote, and the sentence that the report begins with.
local function gallery_block(block)
    local name = block.text:match("^gait report [^\n]* %-o ([%w_]+%.html)$")
    if not name then return nil end
    local headline = file_text(os.getenv("SITE_WORK") .. "/" .. name .. ".headline")
    return {block, pandoc.RawBlock("html", '<p class="open-report"><a href="gallery/' .. name .. '">Open the report</a> <q>'
        .. headline:gsub("\n$", "") .. "</q></p>")}
end

local function code_block(block, path)
    if block.classes[1] == "mermaid" then
        return pandoc.RawBlock("html", '<div class="scroll figure" tabindex="0">' .. diagram.svg(block.text) .. "</div>")
    end
    return path == GALLERY and gallery_block(block) or nil
end

-- A table scrolls where it is wider than the window. Its cells have one line each; those of more text ("text") break, and of
-- much text ("long") they are no narrower than some words.
local SHORT_CELL, LONG_CELL = 16, 50 -- characters

local function cell_classes(cell)
    local length = utf8.len(pandoc.utils.stringify(cell.contents)) or 0
    return length > LONG_CELL and {"text", "long"} or length > SHORT_CELL and {"text"} or {}
end

local function table_block(t)
    for _, body in ipairs(t.bodies) do
        for _, row in ipairs(body.body) do
            for _, cell in ipairs(row.cells) do cell.attr = pandoc.Attr("", cell_classes(cell)) end
        end
    end
    return pandoc.Div(t, pandoc.Attr("", {"scroll"}, {tabindex = "0"}))
end

-- No line ends between a number and its unit of one sign: 31 %.
local function kept_together(inlines)
    for i = 2, #inlines - 1 do
        local before, after = inlines[i - 1], inlines[i + 1]
        if inlines[i].t == "Space" and before.t == "Str" and before.text:match("%d$") and after.t == "Str"
            and after.text:match("^%%") then
            inlines[i] = pandoc.Str("\u{a0}")
        end
    end
    return inlines
end

-- Without the highlighter, which numbers lines and takes seconds for a large file.
local function plain_code(block)
    if #block.text < 20000 then return nil end
    return pandoc.CodeBlock(block.text)
end

local function filter(path)
    local from = links.is_folder(path) and path .. "/" or path
    return {
        Link = function(link)
            link.content = links.named(from, link)
            link.target = links.rewritten(from, link.target)
            return link
        end,
        Image = function(image) image.src = links.rewritten(from, image.src) return image end,
        CodeBlock = function(block) return code_block(block, path) or plain_code(block) end,
        RawBlock = function(block) if block.text:match("^<!%-%-") then return {} end end,
        Inlines = kept_together,
        Table = table_block,
    }
end

-- Links to the headings of a page that has several.
local function contents_of(blocks)
    local html = {}
    for _, block in ipairs(blocks) do
        if block.t == "Header" and (block.level == 2 or block.level == 3) then
            html[#html + 1] = string.format('<li class="level%d"><a href="#%s">%s</a></li>', block.level, block.identifier,
                pages.escaped(pandoc.utils.stringify(block)))
        end
    end
    if #html < 2 then return "" end
    return '<nav class="contents" aria-label="On this page">\n<p>On this page</p>\n<ul>\n' .. table.concat(html, "\n") .. "\n</ul>\n</nav>"
end

local function write_index(page, blocks)
    local index = assert(io.open(os.getenv("SITE_WORK") .. "/index." .. page.place, "w"))
    index:write(search_index.entry(page, blocks))
    index:close()
end

local TEMPLATE = file_text(HERE .. "template.html")

-- The template around a page's text, up to it and from it on.
local function surroundings(page, path, root, blocks)
    local parts = {
        title = pages.escaped(page and page.title or path),
        root = root,
        section = page and '<p class="section">' .. pages.escaped(page.section) .. "</p>" or "",
        contents = page and contents_of(blocks) or "",
        neighbours = page and navigation.neighbours(page, root) or "",
        sections = navigation.sections(page, root),
    }
    return TEMPLATE:gsub("{{(%l+)}}", function(name) return parts[name] end):match("^(.*){{TEXT}}(.*)$")
end

-- A page as blocks, behind a line that says where it belongs.
local function append_page(all, path)
    local page = pages.by_path[path]
    local blocks = page and pandoc.read(file_text(path), MARKDOWN).blocks or blocks_of_file(path)
    if page then write_index(page, blocks) end
    blocks = pandoc.walk_block(pandoc.Div(blocks), filter(path)).content
    local address = page and page.address or links.address_of_linked(path)
    local before, behind = surroundings(page, path, pages.root(address), blocks)
    all[#all + 1] = pandoc.RawBlock("html", "<!--page " .. address .. "-->\n" .. before)
    for _, block in ipairs(blocks) do all[#all + 1] = block end
    all[#all + 1] = pandoc.RawBlock("html", behind)
end

function Pandoc()
    local all = {}
    for path in os.getenv("SITE_BATCH"):gmatch("%S+") do append_page(all, path) end
    return pandoc.Pandoc(all)
end
