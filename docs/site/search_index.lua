-- The part of the search index that is a page's: a line of JSON,
--   [address, section, title, [[anchor, heading, text], …]]
-- with the text of each heading up to the next one; the first has neither anchor nor heading. docs/site/site.js reads it.
local search_index = {}

local function quoted(text)
    local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t"}
    return '"' .. text:gsub('[%c"\\]', function(c) return escapes[c] or " " end) .. '"'
end

local text_of -- of a list of blocks

local function text_of_rows(rows, out)
    for _, row in ipairs(rows) do
        for _, cell in ipairs(row.cells) do text_of(cell.contents, out) end
    end
end

local function text_of_block(block, out)
    if block.t == "Table" then
        text_of_rows(block.head.rows, out)
        for _, body in ipairs(block.bodies) do text_of_rows(body.body, out) end
    elseif block.t == "BulletList" or block.t == "OrderedList" then
        for _, item in ipairs(block.content) do text_of(item, out) end
    elseif block.t == "BlockQuote" or block.t == "Div" then
        text_of(block.content, out)
    elseif block.t == "CodeBlock" then
        out[#out + 1] = block.text
    elseif block.t ~= "RawBlock" then
        out[#out + 1] = pandoc.utils.stringify(block)
    end
end

text_of = function(blocks, out)
    for _, block in ipairs(blocks) do text_of_block(block, out) end
end

local function sections_of(blocks)
    local sections = {{anchor = "", heading = "", text = {}}}
    for _, block in ipairs(blocks) do
        if block.t == "Header" and block.level > 1 then
            sections[#sections + 1] = {anchor = block.identifier, heading = pandoc.utils.stringify(block), text = {}}
        elseif block.t ~= "Header" then
            text_of_block(block, sections[#sections].text)
        end
    end
    return sections
end

function search_index.entry(page, blocks)
    local parts = {}
    for _, s in ipairs(sections_of(blocks)) do
        local text = table.concat(s.text, " "):gsub("%s+", " ")
        parts[#parts + 1] = "[" .. quoted(s.anchor) .. "," .. quoted(s.heading) .. "," .. quoted(text) .. "]"
    end
    return "[" .. quoted(page.address) .. "," .. quoted(page.section) .. "," .. quoted(page.title) .. ",["
        .. table.concat(parts, ",\n") .. "]]"
end

return search_index
