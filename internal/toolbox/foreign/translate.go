package foreign

import (
	"fmt"
	"maps"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Limits on a schema. Those of package schema are wider.
const (
	maxDeep    = 55     // schemas within schemas
	maxSchemas = 4000   // in one document
	maxMembers = 900    // of one object or list
	maxName    = 250    // bytes
	maxPointer = 1500   // bytes
	maxListed  = 20     // unchecked rules that are named
	maxPlace   = 100    // bytes of the place of such a rule
	maxInsts   = 18_000 // compiled size of all expressions
	maxRounds  = 10
)

// translator translates one document.
//
// A translated schema accepts everything that the original accepts, and perhaps more: the
// server decides what is not checked here. Where more would be less, in not, if and oneOf,
// a schema that accepts more than its original is left out, or oneOf becomes anyOf. The
// walking functions therefore report whether what they return is loose.
type translator struct {
	base    string            // the root's $id
	anchors map[string]string // pointers by name
	bad     map[string]string // the reasons why references are left out, by the pointer of their schema
	doubt   bool              // a reference counts as loose

	out     map[string]any
	refs    map[string]string // pointers of schemas with a reference, by its pointer in out
	count   int
	insts   int
	loose   bool // something in the document is
	negated int  // schemas around in which more would be less
	depends bool // one of them has a reference
	notes   []string
	left    int // notes beyond maxListed
}

// translate returns a document in draft-07, and which rules of the original it lacks.
func translate(object map[string]any) (out map[string]any, unchecked []string) {
	bad, doubt := map[string]string{}, false
	for range maxRounds { // each leaves out all bad references that it finds
		t := &translator{bad: bad, doubt: doubt, anchors: anchors(object), refs: map[string]string{}, insts: maxInsts}
		t.base, _ = object["$id"].(string)
		t.document(object)
		more := t.badReferences()
		maps.Copy(bad, more)
		if again := t.loose && t.depends && !doubt; again || len(more) > 0 {
			doubt = doubt || again
			continue
		}
		if t.left > 0 {
			t.notes = append(t.notes, fmt.Sprintf("and %d more", t.left))
		}
		return t.out, t.notes
	}
	return outline(object), []string{"all of it: its references cannot be followed"}
}

// document translates the root, which is always an object.
func (t *translator) document(object map[string]any) {
	root, _ := t.schema(object, "", 0)
	if kind, has := root["type"]; has && kind != "object" {
		t.note("", "type", "arguments are always an object")
	}
	root["type"] = "object"
	t.out = root
}

// note records a rule that is not checked.
func (t *translator) note(at, word, why string) {
	t.loose = true
	if len(t.notes) >= maxListed {
		t.left++
		return
	}
	t.notes = append(t.notes, Text(fmt.Sprintf("%s of #%s: %s", word, textcut.Tail(at, maxPlace), why), maxReason))
}

// schema translates a schema and everything below it.
func (t *translator) schema(v any, at string, deep int) (out map[string]any, loose bool) {
	t.count++
	switch v := v.(type) {
	case bool:
		if v {
			return map[string]any{}, false
		}
		return map[string]any{"not": map[string]any{}}, false
	case map[string]any:
		if t.count > maxSchemas || deep > maxDeep || len(at) > maxPointer {
			t.note(at, "the parts", "they are too many, or nested too deep")
			return cut(v), true
		}
		s := &member{translator: t, in: v, out: map[string]any{}, at: at, deep: deep + 1}
		s.translate()
		return s.out, s.loose
	}
	t.note(at, "all", "it is no schema")
	return map[string]any{}, true
}

// cut returns what is left of a schema that is not shown.
func cut(v map[string]any) map[string]any {
	out := map[string]any{"description": "Its parts are not shown here."}
	if name, ok := v["type"].(string); ok && types[name] {
		out["type"] = name
	}
	return out
}
