package schema

// alone checks values of single parameters, without the rules that tie
// parameters together.
type alone struct {
	rule    *rule
	library *library // compiled when it is first needed
	meter   *meter   // one for all checks
}

// newAlone takes the properties of the root and nothing else.
func newAlone(root *rule) *alone {
	r := newRule("")
	r.props = root.props
	for _, k := range root.kids {
		if k.word == "properties" {
			r.words["properties"] = map[string]any{}
			r.kids = append(r.kids, k)
		}
	}
	return &alone{rule: r, meter: &meter{left: maxSteps}}
}

// nullable says whether null is a value for a parameter. The fast check is
// always sure of that where it knows the rule.
func (a *alone) nullable(name string) bool {
	r := a.rule.props[name].rule
	for r.to != nil {
		r = r.to
	}
	if r.plain && r.accepts == depends {
		return r.allows(kindNull) && r.literalFits([]byte("null"))
	}
	return a.problems(name, nil) == nil
}

// problems says what keeps a value from fitting a parameter; nil is valid.
func (a *alone) problems(name string, value any) []string {
	scan := borrow(encode(value))
	defer scan.release()
	if err := scan.value(a.rule.props[name].rule, 0); err != nil {
		return []string{explain(err)}
	}
	if !scan.unsure {
		return nil
	}
	if a.library == nil {
		var err error
		if a.library, err = compileLibrary(a.rule); err != nil {
			return []string{err.Error()}
		}
	}
	return a.library.problems(map[string]any{name: value}, a.meter)
}
