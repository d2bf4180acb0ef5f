-- Flowcharts are written in Mermaid's notation, which the site draws by Graphviz: as a picture that needs no script. Only the
-- notation that scripts/draw-layers writes is known; any other line ends the build.
local diagram = {}

local HEAD = [[
digraph {
  bgcolor="transparent"; rankdir=TB; nodesep=0.18; ranksep=0.45; fontname="Helvetica"; fontsize=12;
  node [shape=box, style=rounded, fontname="Helvetica", fontsize=12, height=0.3, margin="0.09,0.04"];
  edge [arrowsize=0.6];
]]

-- A line of Mermaid as one of Graphviz's language; nil where it is not known.
local function line_of_dot(line)
    if line == "" or line:match("^flowchart TD$") or line:match("^classDef meet ") then return "" end
    if line == "end" then return "}" end
    local name, title = line:match("^subgraph (%w+) %[([^%]]*)%]$")
    if name then return string.format('subgraph cluster_%s { label="%s"; style="rounded,dashed";', name, title) end
    local from, to = line:match("^(%w+) %-%-> (%w+)$")
    if from then return string.format('"%s" -> "%s";', from, to) end
    local thick = line:match("^(%w+):::meet$")
    if thick then return string.format('"%s" [penwidth=3];', thick) end
    return line:match("^%w+$") and string.format('"%s";', line)
end

-- The picture as SVG for the middle of a page, in colours of its style sheet.
function diagram.svg(mermaid)
    local dot = {HEAD}
    for line in (mermaid .. "\n"):gmatch("[ ]*(.-)\n") do
        dot[#dot + 1] = line_of_dot(line) or error("docs/site/diagram.lua does not know this line: " .. line, 0)
    end
    dot[#dot + 1] = "}"
    local svg = pandoc.pipe("dot", {"-Tsvg"}, table.concat(dot, "\n"))
    return (svg:gsub("^.*(<svg)", "%1"):gsub("<!%-%-.-%-%->\n?", ""):gsub("<title>.-</title>\n?", "")
        :gsub(' fill="[^"]*"', ""):gsub(' stroke="[^"]*"', ""))
end

return diagram
