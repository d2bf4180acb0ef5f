; GT203 gate-up-separate
; title: gate and up projections are separate products
; why: both layers read the same input; one product of twice the width reads it once and is larger
; fix: one nn.Linear(width, 2 * hidden), then gate, up = self.gate_up(x).chunk(2, dim=-1)
((binary_operator left: (_) @left operator: "*" right: (_) @right) @hit
 (#gated? @left @right)
 (#in-module? @hit)
 (#in-forward?)
 (#not-job-has? "ColwiseParallel" "parallelize_module"))
