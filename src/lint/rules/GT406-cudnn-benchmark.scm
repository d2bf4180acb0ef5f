; GT406 cudnn-benchmark off
; title: cuDNN may not choose its fastest algorithms
; why: deterministic algorithms are slower, and without benchmark cuDNN guesses which one is fast
; fix: torch.backends.cudnn.benchmark = True where shapes stay; deterministic only where a run must repeat bit by bit
; priced-by: process-settings
((assignment left: (attribute attribute: (identifier) @name) @left right: (_) @value) @hit
 (#is? @left "torch.backends.cudnn.deterministic")
 (#node? @value "true") (#not-conditional? @hit) (#job-has? "backward" "training_step") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3"))

((assignment left: (attribute attribute: (identifier) @name) @left right: (_) @value) @hit
 (#is? @left "torch.backends.cudnn.benchmark")
 (#node? @value "false") (#not-conditional? @hit) (#job-has? "backward" "training_step") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3"))

; nothing speaks of it, and False is what cuDNN begins with
((call function: (_) @forward) @hit
 (#kind? @forward "module") (#not-word? @forward "criterion crit loss fn func function") (#training-step?) (#not-in-test? @hit) (#not-without-grad?) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "benchmark" "deterministic" "use_deterministic_algorithms" "cudnn") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3")
 (#once!))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#eq? @name "backward") (#training-step?) (#not-in-test? @hit) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "benchmark" "deterministic" "use_deterministic_algorithms" "cudnn") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3")
 (#once!))
