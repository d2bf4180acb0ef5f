; GT503 eval-in-train-mode
; title: the model is in the wrong mode
; why: dropout and batch norm act otherwise in training and evaluation; in the wrong mode the figures mislead, or training goes on without them
; fix: model.eval() before an evaluation, model.train() before training goes on
((call function: [(identifier) (attribute)] @model
       arguments: (argument_list . (_))) @hit
 (#kind? @model "module")
 (#word? @model "model net network classifier")
 (#not-word? @model "criterion loss fn func metric teacher optimizer loader train")
 (#over-data? @model)
 (#in-evaluation?)
 (#job-has? "*dropout*" "*batchnorm*" "from_pretrained" "*resnet*")
 (#job-has? "<trains>")
 (#not-job-has? "<calls eval()>" "<unread imports>" "lightning" "pytorch_lightning")
 (#advice! "model.eval() before the evaluation, model.train() behind it: the program never leaves training mode"))

((call function: (attribute object: (_) @model attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "eval") (#eq? @arguments "()")
 (#word? @model "model net network classifier")
 (#not-word? @model "teacher target ema ref reference pretrained vgg lpips inception clip frozen old best")
 (#in-epochs?)
 (#job-has? "*dropout*" "*batchnorm*" "from_pretrained" "*resnet*")
 (#job-has? "<trains>")
 (#not-job-has? "<calls train()>" "<trains in eval mode>" "<unread imports>" "lightning" "pytorch_lightning")
 (#advice! "model.train() before training goes on: from the first evaluation on it runs without dropout and with fixed batch norm"))
