package preview

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxArguments = 2 << 20 // bytes; defaults may add to the 1 MiB of a caller
	maxDepth     = 128     // the limit of package schema
	keyRoom      = 100     // shown bytes of a key
)

// node is a value in its shown form.
type node struct {
	label  string        // shown form of the member's name
	kind   jsontext.Kind // '{', '[', '"', '0', 't', 'f' or 'n'
	text   string        // a string without its secrets, or a literal unchanged
	raw    string        // an unchanged string, while the list around it is read
	hidden string        // what is shown in place of the value
	aside  string        // a remark after the value in Text
	kids   []node
	size   int  // of all kids, including dropped ones
	passed bool // it is not kept itself
}

// reader turns arguments into nodes in one pass: it finds the parts to hide and to warn of,
// and keeps only text that may be shown.
type reader struct {
	dec         *jsontext.Decoder
	marks       *marks
	path        path
	kept, ofOne int
	found       findings
	verbatim    []string
	program     string // one of programs that the arguments name
}

// maxOption is the longest option, in bytes.
const maxOption = 64

// secrecy is the knowledge about a value before it is read.
type secrecy int

const (
	open   secrecy = iota
	named          // its name is that of a secret
	marked         // the schema marks it
	plain          // it must be shown unchanged, with all that is in it
	valued         // the item before it is an option that takes a secret
)

// read reads the object args.
func read(args []byte, m *marks, verbatim []string) (node, findings, error) {
	if len(args) > maxArguments {
		return node{}, findings{}, errors.New("they are larger than 2 MiB")
	}
	r := &reader{dec: jsontext.NewDecoder(bytes.NewBuffer(args)), marks: m, verbatim: verbatim, program: programIn(args)}
	if r.dec.PeekKind() != '{' {
		return node{}, findings{}, errors.New("they are not a JSON object")
	}
	var top node
	if err := r.value(&top, m.top(), open); err != nil {
		return node{}, findings{}, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return node{}, findings{}, errors.New("something follows the object")
	}
	if m.spent() {
		r.found.warn("", "the tool's schema is too tangled to follow, so more was hidden than may be secret")
	}
	return top, r.found, nil
}

// value reads the next value into n. The schemas are those that apply to it.
func (r *reader) value(n *node, schemas []any, s secrecy) error {
	n.kind = r.dec.PeekKind()
	rules, secret := r.marks.apply(schemas)
	if secret {
		s = marked
	}
	container := n.kind == '{' || n.kind == '['
	if depth := r.dec.StackDepth(); depth > 0 && (s == marked || s == named && container) {
		n.hidden = hiddenKind(n.kind)
		r.found.hide(r.path.String())
		return r.dec.SkipValue()
	} else if depth >= maxDepth && container {
		return fmt.Errorf("they are nested more than %d levels deep", maxDepth)
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	if !container {
		n.text = token.String()
	}
	switch {
	case n.kind == '{':
		return r.object(n, rules, s)
	case n.kind == '[':
		return r.array(n, rules, s)
	case s == named && (n.kind == '"' || n.kind == '0'), s == valued && n.kind == '"' && !strings.HasPrefix(n.text, "-"):
		r.conceal(n)
	case n.kind == '"':
		n.raw = n.text
		r.examine(n, s)
	}
	return nil
}

// object reads the members of an object. What is known of the object holds for its members.
func (r *reader) object(n *node, rules []map[string]any, s secrecy) error {
	seen := spellings{}
	for ; r.dec.PeekKind() != '}'; n.size++ {
		token, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		name, about := token.String(), s
		switch {
		case r.dec.StackDepth() == 1 && slices.Contains(r.verbatim, name):
			about = plain
		case s == open && secretName(name):
			about = named
		}
		kid := node{passed: !r.admit(n), label: r.label(name, n.size, about)}
		back := r.path.key(kid.label)
		if unusual(name) {
			r.found.warn(r.path.String(), "the name contains invisible, control or stacked characters, shown as \\uXXXX")
		}
		if other, again := seen.add(name, kid.label); again {
			r.found.warn(r.path.String(),
				"the name differs from "+string(quote(nil, other, false))+" only in case or in how it is encoded; a tool may take one for the other")
		}
		if err := r.value(&kid, r.marks.member(rules, name), about); err != nil {
			return err
		}
		kid.raw = ""
		if !kid.passed {
			n.kids = append(n.kids, kid)
		}
		r.path.cut(back)
	}
	if s != plain {
		r.pair(n)
	}
	_, err := r.dec.ReadToken()
	return err
}

// array reads the items of an array, which are as open as the array.
func (r *reader) array(n *node, rules []map[string]any, s secrecy) error {
	var before node
	for ; r.dec.PeekKind() != ']'; n.size++ {
		kid := node{passed: !r.admit(n)}
		back := r.path.index(n.size)
		about := s
		if s != plain && before.option() && secretName(before.raw) {
			about = valued
		}
		if err := r.value(&kid, r.marks.item(rules, n.size), about); err != nil {
			return err
		}
		if n.size > 0 && s != plain {
			r.follow(&kid, &before)
		}
		before = node{kind: kid.kind, raw: kid.raw[:min(len(kid.raw), maxOption)]}
		kid.raw = ""
		if !kid.passed {
			n.kids = append(n.kids, kid)
		}
		r.path.cut(back)
	}
	_, err := r.dec.ReadToken()
	return err
}

// The number of values below the arguments that are kept; 16 KiB show far fewer.
const (
	maxKids = 2_000  // in one object or array
	maxOne  = 5_000  // within one argument
	maxAll  = 20_000 // in total; after that, each argument has fewKept
	fewKept = 20
)

// admit reports whether the next kid of a value is kept. An argument always is, so that
// none is displaced by the contents of another.
func (r *reader) admit(parent *node) bool {
	argument := r.dec.StackDepth() == 1
	if argument {
		r.ofOne = 0
	}
	most := maxOne
	if r.kept >= maxAll {
		most = fewKept
	}
	if parent.passed || len(parent.kids) >= maxKids || r.ofOne >= most {
		return false
	}
	r.kept++
	r.ofOne++
	return true
}

// pair hides the value of {"name": "Authorization", "value": …}, the form in lists of
// headers and of form fields.
func (r *reader) pair(n *node) {
	var value *node
	secret := false
	for i := range n.kids {
		switch k := &n.kids[i]; k.label {
		case "name", "key", "header", "field", "Name", "Key":
			secret = secret || k.kind == '"' && secretName(k.text)
		case "value", "Value":
			value = k
		}
	}
	if !secret || value == nil || value.hidden != "" || value.kind != '"' {
		return
	}
	back := r.path.key(value.label)
	r.conceal(value)
	r.path.cut(back)
}

// conceal hides a value because of its name.
func (r *reader) conceal(n *node) {
	n.hidden = hiddenKind(n.kind)
	if n.kind == '"' {
		n.hidden = hiddenText(n.text)
	}
	n.text, n.aside = "", ""
	r.found.hide(r.path.String())
}

// examine searches a string for secrets, unless it must be shown unchanged, and for
// deceptive content.
func (r *reader) examine(n *node, s secrecy) {
	if unusual(n.text) {
		r.found.warn(r.path.String(), "contains invisible, control or stacked characters, shown as \\uXXXX")
	}
	clean, some := n.text, false
	if s != plain {
		clean, some = redact(n.text, r.program)
	}
	if some {
		r.found.hide(r.path.String())
	}
	r.found.words(r.path.String, clean)
	n.aside = r.found.addresses(r.path.String, clean)
	if n.text, some = collapse(clean); some {
		r.found.warn(r.path.String(), "has long runs of blanks or line breaks, which can push text out of sight; their number is shown instead")
	}
}

// option reports whether a string is an option that a value may follow.
func (n *node) option() bool {
	return n.kind == '"' && strings.HasPrefix(n.raw, "-") && !strings.ContainsAny(n.raw, " =\t\n")
}

// follow examines a string after another in a list, as an option's value follows the
// option.
func (r *reader) follow(n, before *node) {
	if n.kind != '"' || n.hidden != "" || !before.option() {
		return
	}
	both := before.raw + " "
	if clean, some := redact(both+n.raw, r.program); some && strings.HasPrefix(clean, both) {
		r.found.hide(r.path.String())
		n.text, _ = collapse(clean[len(both):])
	}
}

// label returns the shown form of a name. A changed name gets its position, so that no two
// members look the same.
func (r *reader) label(name string, place int, s secrecy) string {
	clean, some := name, false
	if s != plain {
		clean, some = redact(name, "")
	}
	label, cut := shown(clean, keyRoom)
	if some || cut {
		label += " (member " + strconv.Itoa(place+1) + ")"
	}
	return label
}
