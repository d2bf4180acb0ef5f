; GT305 work-in-collate
; title: work in the loader that is not the sample's own
; why: it runs for every sample or batch in Python, on a worker's single thread; the device waits for it
; fix: build objects and indices once in __init__; write loops over elements as one operation on arrays; pad_sequence, or one array made for the batch, copies samples of different lengths once
; priced-by: collate-work input-bound

; a tokenizer, processor or model is built
((call function: (attribute object: (_) attribute: (identifier) @name)) @hit
 (#eq? @name "from_pretrained")
 (#not-kept? @hit)
 (#in-loader?))

; a table is searched from end to end: self.frame[self.frame["id"] == key]
((subscript value: (_) @table
   subscript: (comparison_operator . (subscript value: (_) @same))) @hit
 (#eq? @table @same)
 (#starts? @table "self.")
 (#in-loader?))
((subscript value: (_) @table
   subscript: (comparison_operator . (attribute object: (_) @same))) @hit
 (#eq? @table @same)
 (#starts? @table "self.")
 (#in-loader?))
((subscript value: (attribute object: (_) @table attribute: (identifier) @loc)
   subscript: (comparison_operator . [(subscript value: (_) @same) (attribute object: (_) @same)])) @hit
 (#eq? @loc "loc")
 (#eq? @table @same)
 (#starts? @table "self.")
 (#in-loader?))

; an array is filled or read element by element
((for_statement left: (identifier) @i right: (call function: (identifier) @over)
   body: (block (for_statement left: (identifier) @j right: (call function: (identifier) @inner)
     body: (block (expression_statement
       (assignment left: (subscript subscript: (identifier) @a subscript: (identifier) @b))))))) @hit
 (#eq? @over "range") (#eq? @inner "range")
 (#eq? @i @a) (#eq? @j @b)
 (#in-loader?))
((for_statement left: (identifier) @i right: (call function: (identifier) @over)
   body: (block (for_statement left: (identifier) @j right: (call function: (identifier) @inner)
     body: (block (expression_statement
       (assignment left: (subscript value: (subscript subscript: (identifier) @a) subscript: (identifier) @b))))))) @hit
 (#eq? @over "range") (#eq? @inner "range")
 (#eq? @i @a) (#eq? @j @b)
 (#in-loader?))

; each sample is padded into a copy of its own; the batch is then made of the copies
((call function: (_) @join
   arguments: (argument_list . [(list (_) @filler) (tuple (_) @filler)])) @hit
 (#is? @join "numpy.concatenate" "numpy.vstack" "numpy.hstack" "torch.cat" "torch.concat" "torch.vstack" "torch.hstack")
 (#not-carried? @filler) ; that grows: GT108
 (#made-by? @filler "numpy.zeros" "numpy.ones" "numpy.full" "numpy.empty" "torch.zeros" "torch.ones" "torch.full" "torch.empty")
 (#in-loop? @hit)
 (#in-loader?))
((call function: (_) @pad arguments: (argument_list . (_) @sample)) @hit
 (#is? @pad "numpy.pad" "torch.nn.functional.pad")
 (#in-loop? @hit)
 (#in-loader?))
((call function: (_) @join
   arguments: (argument_list . [(list (_) @filler) (tuple (_) @filler)])) @hit
 (#is? @join "numpy.concatenate" "numpy.vstack" "numpy.hstack" "torch.cat" "torch.concat" "torch.vstack" "torch.hstack")
 (#not-carried? @filler) ; that grows: GT108
 (#made-by? @filler "numpy.zeros" "numpy.ones" "numpy.full" "numpy.empty" "torch.zeros" "torch.ones" "torch.full" "torch.empty")
 (#inside? @hit "list_comprehension" "generator_expression")
 (#in-loader?))
((call function: (_) @pad arguments: (argument_list . (_) @sample)) @hit
 (#is? @pad "numpy.pad" "torch.nn.functional.pad")
 (#inside? @hit "list_comprehension" "generator_expression")
 (#in-loader?))
