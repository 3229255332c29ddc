package schema

// alone checks values of single parameters, without the rules that relate parameters to one
// another.
type alone struct {
	rule    *rule
	library *library // compiled on first use
	meter   *meter   // one for all checks
}

// newAlone returns an alone for the properties of the root, without its other keywords.
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

// nullable reports whether null is a value of a parameter. The fast check always decides
// this for a rule it knows.
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

// problems returns the reasons why a value does not fit a parameter; none for a valid
// value.
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
