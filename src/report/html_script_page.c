/*
 * What the scripts of the page share: the object page. On paper every finding is open.
 */
#include "report/html_parts.h"

const char html_script_page[] =
    "var page={};\n"
    "page.each=function(css,f){\n"
    "  Array.prototype.forEach.call(document.querySelectorAll(css),f);};\n"
    /* a few lines about what lies under the pointer, the first one bold */
    "page.tell=function(tip,canvas,e,lines){\n"
    "  tip.textContent='';\n"
    "  lines.forEach(function(text,i){if(!text)return;\n"
    "    var line=document.createElement(i?'div':'b');\n"
    "    line.textContent=text;tip.appendChild(line);});\n"
    "  tip.hidden=false;\n"
    "  var left=canvas.offsetLeft+e.offsetX+14,box=canvas.parentNode.clientWidth;\n"
    "  if(left+tip.offsetWidth>box-8)left=Math.max(8,left-tip.offsetWidth-28);\n"
    "  if(left+tip.offsetWidth>box-8)left=Math.max(8,box-8-tip.offsetWidth);\n"
    "  tip.style.left=left+'px';\n"
    "  tip.style.top=(canvas.offsetTop+e.offsetY+16)+'px';};\n"
    "(function(){\n"
    "var closed=[];\n"
    "window.addEventListener('beforeprint',function(){\n"
    "  closed=[];page.each('.finding:not([open])',function(d){\n"
    "    closed.push(d);d.open=true;});});\n"
    "window.addEventListener('afterprint',function(){\n"
    "  closed.forEach(function(d){d.open=false;});});\n"
    "})();\n";
