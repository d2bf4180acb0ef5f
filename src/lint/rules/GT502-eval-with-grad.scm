; GT502 eval-with-grad off
; title: an evaluation keeps what a backward pass would need
; why: without no_grad() every layer's activations are kept until the loss is dropped: several times the memory, so smaller batches, and time to record the graph
; fix: @torch.no_grad() above the function, or with torch.inference_mode(): around the loop
; needs: torch 1
((call function: [(identifier) (attribute)] @model
       arguments: (argument_list . (_))) @hit
 (#kind? @model "module")
 (#word? @model "model net network encoder decoder classifier backbone generator student transformer bert gpt lstm rnn cnn vae unet resnet vit module")
 (#not-word? @model "criterion loss fn func metric teacher optimizer loader train")
 (#over-data? @model)
 (#not-loop-has? @model "no_grad" "inference_mode" "set_grad_enabled" "backward" "grad" "requires_grad_" "enable_grad" "jit" "onnx")
 (#in-evaluation?)
 (#not-without-grad?)
 (#job-has? "torch")
 (#not-job-has? "set_grad_enabled" "<differentiates>" "pytest" "unittest"))
