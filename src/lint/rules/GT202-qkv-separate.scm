; GT202 qkv-separate
; title: several linear layers read the same input
; why: each product reads the whole input again and is a launch of its own; one product of the joint width is larger, so it runs at a better rate
; fix: one nn.Linear(width, 3 * width), then q, k, v = self.qkv(x).chunk(3, dim=-1)
; priced-by: qkv-unfused
((call function: (attribute object: (identifier) @self)) @hit
 (#eq? @self "self")
 (#alike? @hit "3")
 (#in-module? @hit)
 (#in-forward?)
 (#not-job-has? "ColwiseParallel" "parallelize_module"))
