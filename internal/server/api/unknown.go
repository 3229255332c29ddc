package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/nearest"
)

// Members that execute does not know are ignored, as newer clients may send them, and named in
// the notes of the results. A member that seems to say whose call this is, is refused instead: a
// call that ignored it would be somebody else's.

const (
	notesMost = 5  // beside one result
	nameMost  = 80 // bytes of a name in a note
)

// owning lists the words for whose call it is, as folded returns them.
var owning = []string{
	"context", "user", "agent", "conversation", "tenant", "ctx", "username", "person", "principal", "subject", "onbehalfof", "session",
	"thread", "organization",
}

// synonyms lists other words for members of execute, as folded returns them.
var synonyms = map[string]string{
	"args": "arguments", "params": "arguments", "parameters": "arguments", "input": "arguments", "name": "tool", "function": "tool",
	"toolname": "tool", "call": "call_id", "token": "confirm_token", "timeout": "timeout_ms", "timeoutseconds": "timeout_ms",
	"wait": "wait_ms", "trace": "trace_id", "messages": "message", "toolcalls": "calls", "requests": "calls",
}

// folded returns a name without case and separators, and without the word id at its end.
func folded(name string) string {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	if short := strings.TrimSuffix(name, "id"); short != "" {
		return short
	}
	return name
}

// owns reports whether an unknown member seems to say whose call it is.
func owns(name string) bool {
	if name = folded(name); name == "content" || name == "contents" {
		return false // of a model's message
	}
	return slices.ContainsFunc(owning, func(word string) bool {
		most := min(len(word)/4, 2)
		return nearest.Distance(name, word, most) <= most
	})
}

// near returns the known name that a caller may have meant; empty if there is none.
func near(name string, known []string) string {
	name = folded(name)
	if is := synonyms[name]; slices.Contains(known, is) {
		return is
	}
	best, least := "", max(len(name)/3, 1)+1
	for _, k := range known {
		if d := nearest.Distance(name, folded(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// ignoredNote returns the note about an unknown member of part.
func ignoredNote(part, name string, known []string) string {
	advice := "it has " + strings.Join(known, ", ")
	if is := near(name, known); is != "" {
		advice = fmt.Sprintf("did you mean '%s'?", is)
	}
	return fmt.Sprintf("%s has the unknown member '%.*s', which was ignored; %s", part, nameMost, name, advice)
}

// ownedElsewhere is the sentence about a member that seems to say whose call it is.
func ownedElsewhere(name string) string {
	return fmt.Sprintf("the member '%.*s' is unknown here and seems to say whose call it is, so it is not ignored: "+
		"that is context.user, context.agent and context.conversation, and the tenant is that of the credential", nameMost, name)
}

// notes returns what an element is to say of unknown members: those of the body, and those of
// its call.
func (ex *Execution) notes(call int) []string {
	all := ex.ignored
	if call < len(ex.ignoredOf) {
		all = slices.Concat(all, ex.ignoredOf[call])
	}
	return all[:min(len(all), notesMost)]
}

// annotate adds the notes about unknown members to result elements.
func (ex *Execution) annotate(results []json.RawMessage) {
	for i, element := range results {
		if notes := ex.notes(i); len(notes) > 0 {
			results[i] = withNotes(element, notes)
		}
	}
}

// withNotes returns an element with further notes, at most as many as it may have.
func withNotes(element json.RawMessage, notes []string) json.RawMessage {
	out := make([]byte, 0, len(element)+512)
	list, room := []byte{}, notesMost
	for name, value := range jsonwalk.EachMember(element) {
		if string(name) == `"notes"` {
			for _, note := range jsonwalk.EachItem(value) {
				list = append(append(list, ','), note...)
				room--
			}
			continue
		}
		out = append(append(append(append(out, ','), name...), ':'), value...)
	}
	for _, note := range notes[:max(0, min(len(notes), room))] {
		list = jsonwalk.AppendString(append(list, ','), note)
	}
	if len(list) == 0 {
		return element
	}
	out = append(append(append(out, `,"notes":[`...), list[1:]...), `]}`...)
	out[0] = '{'
	return out
}
