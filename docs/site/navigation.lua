-- What stands around the text of a page: the sections with their pages, the page before and the one behind.
local pages = require "pages"

local navigation = {}

local function anchor(page, root, attributes, title)
    return string.format('<a href="%s%s"%s>%s</a>', root, page.address, attributes, pages.escaped(title))
end

-- Every section, folded but for the one of the page.
function navigation.sections(current, root)
    local html, section = {}, nil
    for _, page in ipairs(pages.list) do
        if page.section ~= section then
            if section then html[#html + 1] = "</ul></details>" end
            section = page.section
            html[#html + 1] = string.format("<details%s><summary>%s</summary><ul>",
                current and current.section == section and " open" or "", pages.escaped(section))
        end
        html[#html + 1] = "<li>" .. anchor(page, root, page == current and ' aria-current="page"' or "", page.label) .. "</li>"
    end
    html[#html + 1] = "</ul></details>"
    return table.concat(html, "\n")
end

function navigation.neighbours(page, root)
    local html = {}
    for _, way in ipairs {{-1, "prev"}, {1, "next"}} do
        local other = pages.list[page.place + way[1]]
        if other and other.section == page.section then
            html[#html + 1] = anchor(other, root, string.format(' rel="%s" class="%s"', way[2], way[2]), other.title)
        end
    end
    if #html == 0 then return "" end
    return '<nav class="neighbours" aria-label="Before and after">\n' .. table.concat(html, "\n") .. "\n</nav>"
end

return navigation
