package schema

import (
	"bytes"
	"slices"
)

// maxIgnored bounds the names of unknown parameters that are reported.
const maxIgnored = 100

// Prepared are arguments a tool can be run with.
type Prepared struct {
	// Args is a JSON object that is valid under the schema. Unknown top-level
	// parameters and nulls of parameters that cannot be null are gone, and the
	// defaults of missing top-level parameters are there. Where there was
	// nothing to change it shares its memory with what the caller sent.
	Args []byte

	// Ignored names the unknown top-level parameters in order, at most 100 of
	// them, long names cut.
	Ignored []string
}

// Prepare validates the arguments of a call as the caller sent them; see
// [Arguments] for what that may be. A parameter that is null counts as not
// given unless its schema allows null. Parameters the schema does not name are
// dropped, even where additionalProperties is false, and kept only where the
// schema says that there may be others. Defaults are filled in after
// validation; where they would break a rule that ties parameters together, such
// as oneOf or dependencies, none is filled in. The error is an *[Invalid].
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
	if scan.unsure {
		if problems, err := s.problems(p.Args); err != nil || problems != nil {
			return Prepared{}, invalidAll(problems)
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

// read goes once over the object: it does the strict checks, runs the fast
// check, and notes which members stay.
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
		switch {
		case known == nil && !s.open:
			if len(ignored) < maxIgnored {
				ignored = append(ignored, clip(string(name)))
			}
			next, keep = nil, false
		case known != nil && known.dropNull && scan.dec.PeekKind() == 'n':
			next, keep = nil, false
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
			scan.kept = append(scan.kept, span{from, int(scan.dec.InputOffset())})
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

// rebuild writes an object of the members kept and of the fills not seen.
func rebuild(object []byte, kept []span, fills []*param, seen []bool) []byte {
	size := len("{}")
	for _, m := range kept {
		size += m.to - m.from + 1
	}
	for _, f := range fills {
		size += len(f.fill) + 1
	}
	out := append(make([]byte, 0, size), '{')
	for _, m := range kept {
		out = append(append(out, object[m.from:m.to]...), ',')
	}
	for _, f := range fills {
		if !seen[f.index] {
			out = append(append(out, f.fill...), ',')
		}
	}
	return append(bytes.TrimSuffix(out, []byte(",")), '}')
}

// problems asks the authority.
func (s *Schema) problems(object []byte) ([]string, error) {
	v, err := decode(object)
	if err != nil {
		return nil, err
	}
	return s.library.problems(v, &meter{left: maxSteps}), nil
}

// stillValid says whether an object is valid after defaults were added.
func (s *Schema) stillValid(object []byte) bool {
	problems, err := s.problems(object)
	return err == nil && problems == nil
}
