package schema

import (
	"bytes"
	"errors"
	"slices"
)

// maxIgnored bounds the names of unknown parameters that are reported.
const maxIgnored = 100

// Prepared holds arguments a tool can be run with.
type Prepared struct {
	// Args is a JSON object that is valid under the schema. Unknown top-level parameters
	// and nulls of parameters that cannot be null are removed, and the defaults of missing
	// top-level parameters are added. Without a change it shares its memory with the
	// caller's arguments.
	Args []byte

	// Ignored names the unknown top-level parameters in order, at most 100 of them, long
	// names cut.
	Ignored []string
}

// Prepare validates the arguments of a call as the caller sent them; see [Arguments] for
// the accepted forms. A parameter that is null counts as not given unless its schema allows
// null. An alias is replaced by the parameter's own name. Parameters that the schema does
// not name are dropped, even if additionalProperties is false, and kept only if the schema
// explicitly allows others; a name close to a parameter that is not given is refused. A
// string that differs from a value of its enum by case alone becomes that value, unless two
// values match. Defaults are filled in after validation; if they would break a rule that
// relates parameters to one another, such as oneOf or dependencies, none is filled in. The
// error is an *[Invalid].
func (s *Schema) Prepare(args []byte) (p Prepared, err error) {
	defer func() {
		if recover() != nil {
			p, err = Prepared{}, invalid("arguments: could not be checked; send simpler values")
		}
	}()
	object, err := unwrap(args)
	if err != nil {
		return Prepared{}, err
	}
	return s.prepare(object, true)
}

// prepare is Prepare for an object. If folding is set, it also accepts enum values in
// another case.
func (s *Schema) prepare(object []byte, folding bool) (p Prepared, err error) {
	scan := borrow(object)
	defer scan.release()
	ignored, dropped, err := s.read(scan)
	if err != nil {
		return Prepared{}, invalid("arguments: %s", explain(err))
	}
	p = Prepared{Args: object, Ignored: ignored}
	filling := slices.ContainsFunc(s.fills, func(f *param) bool { return !scan.seen[f.index] })
	if dropped || filling {
		p.Args = rebuild(object, scan.kept, nil, nil)
	}
	meant := s.meant(ignored, scan.seen)
	if scan.unsure || meant != nil {
		problems, err := s.problems(p.Args)
		if folded := s.folded(p.Args, folding && problems != nil); folded != nil && err == nil {
			again, err := s.prepare(folded, false)
			if err == nil && meant == nil {
				again.Ignored = ignored
				return again, nil
			}
			problems = nil
			if bad, ok := errors.AsType[*Invalid](err); ok {
				problems = bad.Problems
			}
		}
		if err != nil || problems != nil || meant != nil {
			return Prepared{}, wrong(problems, meant, ignored)
		}
	}
	if filling {
		filled := rebuild(object, scan.kept, s.fills, scan.seen)
		if !s.crossed || s.stillValid(filled) {
			p.Args = filled
		}
	}
	return p, nil
}

// read makes one pass over the object: it does the strict checks, runs the fast check, and
// records the members to keep.
func (s *Schema) read(scan *scanner) (ignored []string, dropped bool, err error) {
	scan.kept = scan.kept[:0]
	scan.seen = append(scan.seen[:0], make([]bool, len(s.params))...)
	scan.unsure = !s.root.plain
	if err := scan.open(1); err != nil {
		return nil, false, err
	}
	required := 0
	for scan.dec.PeekKind() != '}' {
		quoted, err := scan.dec.ReadValue()
		if err != nil {
			return nil, false, err
		}
		from := int(scan.dec.InputOffset()) - len(quoted)
		name := scan.unquote(quoted)
		known := s.params[string(name)]
		next, keep := s.root.extra, true
		var key []byte
		if known == nil {
			if known = s.aliases[string(name)]; known != nil {
				from, key, dropped = int(scan.dec.InputOffset()), known.key, true
			}
		}
		switch {
		case known == nil && !s.open:
			if len(ignored) < maxIgnored {
				ignored = append(ignored, clip(string(name)))
			}
			next, keep = nil, false
		case known != nil && known.dropNull && scan.dec.PeekKind() == 'n':
			next, keep = nil, false
		case known != nil && scan.seen[known.index]:
			return nil, false, &unusable{problem: "parameter '" + known.name + "' is given twice, under two of its names; give it once"}
		case known != nil:
			p, declared := s.root.props[known.name]
			if declared {
				next = p.rule
			}
			if p.required {
				required++
			}
			scan.seen[known.index] = true
		}
		if err := scan.value(next, 1); err != nil {
			return nil, false, err
		}
		if keep {
			scan.kept = append(scan.kept, span{from, int(scan.dec.InputOffset()), key})
		}
		dropped = dropped || !keep
	}
	if _, err := scan.dec.ReadToken(); err != nil {
		return nil, false, err
	}
	scan.unsure = scan.unsure || required < len(s.root.required)
	slices.Sort(ignored)
	return ignored, dropped, scan.end()
}

// rebuild writes an object of the members kept and the defaults of parameters that were not
// given.
func rebuild(object []byte, kept []span, fills []*param, seen []bool) []byte {
	size := len("{}")
	for _, m := range kept {
		size += len(m.key) + m.to - m.from + 1
	}
	for _, f := range fills {
		size += len(f.fill) + 1
	}
	out := append(make([]byte, 0, size), '{')
	for _, m := range kept {
		out = append(append(append(out, m.key...), object[m.from:m.to]...), ',')
	}
	for _, f := range fills {
		if !seen[f.index] {
			out = append(append(out, f.fill...), ',')
		}
	}
	return append(bytes.TrimSuffix(out, []byte(",")), '}')
}

// Check returns the problems of an object that is not the arguments of a call, nil for none:
// nothing is filled in, and no name is taken for a mistyped one.
func (s *Schema) Check(object []byte) []string {
	if problem, _ := strict(object); problem != "" {
		return []string{problem}
	}
	problems, err := s.problems(object)
	if err != nil {
		return []string{"it is not JSON"}
	}
	return problems
}

// problems validates the object with the library.
func (s *Schema) problems(object []byte) ([]string, error) {
	v, err := decode(object)
	if err != nil {
		return nil, err
	}
	return s.library.problems(v, &meter{left: maxSteps}), nil
}

// stillValid reports whether an object is valid after defaults were added.
func (s *Schema) stillValid(object []byte) bool {
	problems, err := s.problems(object)
	return err == nil && problems == nil
}
