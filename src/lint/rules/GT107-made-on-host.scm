; GT107 made-on-host with-run
; title: a tensor is made on the host and moved in every step
; why: the host fills the memory, and the copy from pageable memory stops it until the device has taken the tensor; the device fills its own memory with one launch
; fix: give the function that makes it device=…
; priced-by: pageable-copy host-wait
((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device] . (keyword_argument name: (identifier) @option)? .) @moved) @hit
 (#is? @maker "torch.zeros" "torch.ones" "torch.empty" "torch.full" "torch.eye")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad") (#lacks? @moved "dtype" "copy" "memory_format")
 (#every-batch?)
 (#set-argument! @made "device" @device) (#replace! @dot "") (#replace! @name "") (#replace! @moved "") (#safe!))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list . (_) @count . (keyword_argument)? .) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device] . (keyword_argument name: (identifier) @option)? .) @moved) @hit
 (#is? @maker "torch.arange")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad" "end") (#lacks? @moved "dtype" "copy" "memory_format")
 (#every-batch?)
 (#set-argument! @made "device" @device) (#replace! @dot "") (#replace! @name "") (#replace! @moved "") (#safe!))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list . (_) . (_) . (_)*) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device] . (keyword_argument name: (identifier) @option)? .) @moved) @hit
 (#is? @maker "torch.arange" "torch.linspace" "torch.logspace") (#positional? @made "2")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad") (#lacks? @moved "dtype" "copy" "memory_format")
 (#every-batch?)
 (#set-argument! @made "device" @device) (#replace! @dot "") (#replace! @name "") (#replace! @moved ""))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device] . (keyword_argument name: (identifier) @option)? .) @moved) @hit
 (#is? @maker "torch.rand" "torch.randn" "torch.randint" "torch.randperm" "torch.normal")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad" "generator") (#lacks? @moved "dtype" "copy" "memory_format")
 (#every-batch?)
 (#set-argument! @made "device" @device) (#replace! @dot "") (#replace! @name "") (#replace! @moved "")
 (#advice! "make it on the device: other random numbers of the same distribution"))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list) @moved) @hit
 (#is? @maker "torch.zeros" "torch.ones" "torch.empty" "torch.full" "torch.eye")
 (#eq? @name "cuda") (#eq? @moved "()") (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad")
 (#every-batch?)
 (#set-argument! @made "device" "\"cuda\"") (#replace! @dot "") (#replace! @name "") (#replace! @moved "") (#safe!))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list) @made)
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list) @moved) @hit
 (#is? @maker "torch.rand" "torch.randn" "torch.randint" "torch.randperm" "torch.normal" "torch.arange" "torch.linspace")
 (#eq? @name "cuda") (#eq? @moved "()") (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad" "generator")
 (#every-batch?)
 (#set-argument! @made "device" "\"cuda\"") (#replace! @dot "") (#replace! @name "") (#replace! @moved ""))

((call
   function: (attribute
     object: (call function: (attribute object: (call function: (_) @maker arguments: (argument_list) @made) attribute: (identifier) @between))
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device] . (keyword_argument name: (identifier) @option)? .) @moved) @hit
 (#is? @maker "torch.zeros" "torch.ones" "torch.empty" "torch.full" "torch.eye" "torch.arange" "torch.linspace" "torch.rand" "torch.randn" "torch.randint" "torch.randperm")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad" "generator") (#lacks? @moved "dtype" "copy" "memory_format")
 (#not-any-of? @between "pin_memory" "share_memory_" "numpy" "requires_grad_" "expand" "cpu" "to")
 (#every-batch?)
 (#set-argument! @made "device" @device) (#replace! @dot "") (#replace! @name "") (#replace! @moved ""))

((call
   function: (attribute
     object: (call function: (attribute object: (call function: (_) @maker arguments: (argument_list) @made) attribute: (identifier) @between))
     "." @dot attribute: (identifier) @name)
   arguments: (argument_list) @moved) @hit
 (#is? @maker "torch.zeros" "torch.ones" "torch.empty" "torch.full" "torch.eye" "torch.arange" "torch.linspace" "torch.rand" "torch.randn" "torch.randint" "torch.randperm")
 (#eq? @name "cuda") (#eq? @moved "()") (#not-eq? @made "(0)") (#lacks? @made "device" "out" "pin_memory" "requires_grad" "generator")
 (#not-any-of? @between "pin_memory" "share_memory_" "numpy" "requires_grad_" "expand" "cpu" "to")
 (#every-batch?)
 (#set-argument! @made "device" "\"cuda\"") (#replace! @dot "") (#replace! @name "") (#replace! @moved ""))

; torch.tensor(0.5, device=…) is made on the host and copied too
((call function: (_) @maker
   arguments: (argument_list . [(integer) (float) (unary_operator) (list . [(integer) (float)] .)]
     (keyword_argument name: (identifier) @option value: (_) @device)) @made) @hit
 (#is? @maker "torch.tensor") (#eq? @option "device") (#not-contains? @device "cpu" "meta")
 (#not-waits-beside? @hit) (#every-batch?)
 (#advice! "torch.tensor fills host memory and copies it: keep the constant (register_buffer), or let the device fill it: torch.full"))

; torch.tensor([0.5]).to(device): so is a constant that is moved
((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list . [(integer) (float) (unary_operator) (list . [(integer) (float) (unary_operator)])]))
     attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device])) @hit
 (#is? @maker "torch.tensor" "torch.as_tensor" "torch.Tensor" "torch.FloatTensor" "torch.LongTensor")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-waits-beside? @hit) (#every-step?)
 (#advice! "the constant is made on the host and copied: keep it (register_buffer), or let the device fill it: torch.full"))

((call
   function: (attribute
     object: (call function: (attribute
       object: (call function: (_) @maker arguments: (argument_list . [(integer) (float) (unary_operator) (list . [(integer) (float) (unary_operator)])]))
       attribute: (identifier) @between))
     attribute: (identifier) @name)
   arguments: (argument_list . [(keyword_argument value: (_) @device) (_) @device])) @hit
 (#is? @maker "torch.tensor" "torch.as_tensor" "torch.Tensor" "torch.FloatTensor" "torch.LongTensor")
 (#not-any-of? @between "pin_memory" "requires_grad_" "cpu" "to")
 (#eq? @name "to") (#word? @device "device dev cuda gpu") (#not-node? @device "keyword_argument")
 (#not-waits-beside? @hit) (#every-step?)
 (#advice! "the constant is made on the host and copied: keep it (register_buffer), or let the device fill it: torch.full"))

((call
   function: (attribute
     object: (call function: (_) @maker arguments: (argument_list . [(integer) (float) (unary_operator) (list . [(integer) (float) (unary_operator)])]))
     attribute: (identifier) @name)
   arguments: (argument_list)) @hit
 (#is? @maker "torch.tensor" "torch.as_tensor" "torch.Tensor" "torch.FloatTensor" "torch.LongTensor")
 (#eq? @name "cuda")
 (#not-waits-beside? @hit) (#every-step?)
 (#advice! "the constant is made on the host and copied: keep it (register_buffer), or let the device fill it: torch.full"))
