package schema

import (
	"encoding/json"
	"strings"
)

// maxSteps bounds one validation by the library to a few tenths of a second. A step takes a
// microsecond at most.
const maxSteps = 200_000

// meter counts in advance the steps the library will take, because it cannot be stopped
// while it runs: alternatives within alternatives multiply, a regular expression costs its
// size times the length of the text, every error copies its path, and enum compares by
// encoding the whole value.
//
// It stops when no steps are left, so that counting is bounded, too.
type meter struct{ left int }

// check charges the cost of applying one schema to one value. path is the length of the
// value's path in bytes.
func (m *meter) check(r *rule, v any, path int) {
	m.left -= 2 + path/50
	if r == nil || r.accepts != depends || m.left < 0 {
		return
	}
	if r.to != nil {
		m.check(r.to, v, path)
		return
	}
	for _, sub := range r.inPlace {
		m.check(sub, v, path)
	}
	m.left -= r.weight / 100
	if r.compares {
		m.weigh(v)
	}
	switch v := v.(type) {
	case json.Number:
		m.left -= 2 + r.extremes*200
		if strings.ContainsAny(v.String(), "eE") {
			m.left -= 8
		}
	case string:
		m.left -= len(v) * r.insts / 250
		if r.regex {
			m.left -= len(v) * 70
		} else if !r.plain {
			m.left -= len(v) / 50
		}
	case []any:
		m.array(r, v, path)
	case map[string]any:
		m.object(r, v, path)
	}
}

func (m *meter) array(r *rule, list []any, path int) {
	path += 8
	for i, item := range list {
		if m.left < 0 {
			return
		}
		switch {
		case r.items != nil:
			m.check(r.items, item, path)
		case i < len(r.tuple):
			m.check(r.tuple[i], item, path)
		case r.tuple != nil:
			m.check(r.rest, item, path)
		}
		if r.contains != nil {
			m.check(r.contains, item, path)
		}
	}
}

func (m *meter) object(r *rule, members map[string]any, path int) {
	m.left -= len(members)*len(r.props)/200 + len(r.required)*(2+path/50)
	for name, v := range members {
		if m.left < 0 {
			return
		}
		inner := path + len(name) + 1
		p, described := r.props[name]
		if described {
			m.check(p.rule, v, inner)
		}
		for _, pt := range r.patterns {
			// The library compiles these expressions again for every name.
			m.left -= 5 + pt.insts/2 + len(name)*pt.insts/250
			if m.left >= 0 && pt.match.MatchString(name) {
				described = true
				m.check(pt.rule, v, inner)
			}
		}
		if !described && (r.extra != nil || r.closed) {
			m.check(r.extra, v, inner)
		}
		if r.names != nil {
			m.check(r.names, name, path)
			m.left -= len(name) / 50
		}
	}
}

// weigh charges the cost of encoding a value.
func (m *meter) weigh(v any) {
	if m.left -= 2; m.left < 0 {
		return
	}
	switch v := v.(type) {
	case string:
		m.left -= len(v) / 100
	case []any:
		for _, item := range v {
			m.weigh(item)
		}
	case map[string]any:
		for name, item := range v {
			m.left -= len(name) / 100
			m.weigh(item)
		}
	}
}
