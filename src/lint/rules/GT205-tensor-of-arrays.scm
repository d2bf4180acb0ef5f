; GT205 tensor-of-arrays with-run
; title: a tensor is made element by element, or copied once more
; why: torch.tensor reads a list of arrays or tensors one element at a time (tensors on the device: one wait each), and copies an array that was just made for it
; fix: torch.stack of tensors, torch.from_numpy(np.stack(…)) of arrays, tensor.detach().clone() of a tensor
; priced-by: collate-work host-wait small-tensors

; every-step: a list of tensors, of arrays
((call function: (_) @function
   arguments: (argument_list . (list_comprehension body: (_) @element))) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "tensor" "host")
 (#every-step?))
((call function: (_) @function
   arguments: (argument_list . [(list_comprehension body: (_) @element) (list . (_) @element . (_))])) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "array")
 (#not-derives? @element "mean" "sum" "max" "min" "std" "prod" "sqrt" "exp" "log" "cos" "sin" "randint" "rand" "randn" "uniform" "choice" "normal" "float" "int" "argmax" "searchsorted" "random" "percentile" "median" "len")
 (#every-step?))
((call function: (_) @function
   arguments: (argument_list . (list . (_) @element . (_)))) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "tensor")
 (#every-step?))

; every-step: an array that was made for it
((call function: (attribute attribute: (identifier) @name) @function
   arguments: (argument_list . (_) @array) @arguments) @hit
 (#is? @function "torch.tensor")
 (#kind? @array "array") (#not-value-has? @array "array([")
 (#path? @array "astype reshape transpose" "stack vstack hstack concatenate array column_stack")
 (#lacks? @arguments "requires_grad" "pin_memory")
 (#every-step?)
 (#replace! @name "as_tensor"))

; every-step: a tensor
((call function: (_) @function
   arguments: (argument_list . [(identifier) (attribute) (call) (subscript)] @tensor .)) @hit
 (#is? @function "torch.tensor")
 (#kind? @tensor "tensor" "host") (#not-guessed? @tensor)
 (#every-step?)
 (#replace! @hit @tensor ".detach().clone()"))

; in-loader: a list of tensors, of arrays
((call function: (_) @function
   arguments: (argument_list . (list_comprehension body: (_) @element))) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "tensor" "host")
 (#in-loader?))
((call function: (_) @function
   arguments: (argument_list . [(list_comprehension body: (_) @element) (list . (_) @element . (_))])) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "array")
 (#not-derives? @element "mean" "sum" "max" "min" "std" "prod" "sqrt" "exp" "log" "cos" "sin" "randint" "rand" "randn" "uniform" "choice" "normal" "float" "int" "argmax" "searchsorted" "random" "percentile" "median" "len")
 (#in-loader?))
((call function: (_) @function
   arguments: (argument_list . (list . (_) @element . (_)))) @hit
 (#is? @function "torch.tensor" "torch.as_tensor" "torch.FloatTensor" "torch.LongTensor" "torch.Tensor")
 (#kind? @element "tensor")
 (#in-loader?))

; in-loader: an array that was made for it
((call function: (attribute attribute: (identifier) @name) @function
   arguments: (argument_list . (_) @array) @arguments) @hit
 (#is? @function "torch.tensor")
 (#kind? @array "array") (#not-value-has? @array "array([")
 (#path? @array "astype reshape transpose" "stack vstack hstack concatenate array column_stack")
 (#lacks? @arguments "requires_grad" "pin_memory")
 (#in-loader?)
 (#replace! @name "as_tensor"))

; in-loader: a tensor
((call function: (_) @function
   arguments: (argument_list . [(identifier) (attribute) (call) (subscript)] @tensor .)) @hit
 (#is? @function "torch.tensor")
 (#kind? @tensor "tensor" "host") (#not-guessed? @tensor)
 (#in-loader?)
 (#replace! @hit @tensor ".detach().clone()"))
