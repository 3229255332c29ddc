package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	maxNotes = 5   // beside one result
	maxNote  = 400 // bytes of one
)

// noteIgnored adds a note for each unknown parameter of the tool.
func (j *Job) noteIgnored() {
	for i, name := range j.unknown {
		if i == maxNotes-2 && len(j.unknown) > maxNotes-1 {
			j.notes = append(j.notes, fmt.Sprintf("%d more parameters are unknown and were ignored", len(j.unknown)-i))
			return
		}
		known := tool.ParameterSummary(j.Definition().Parameters)
		if near := j.entry.Schema.Near(name); near != "" {
			known = "the nearest is '" + near + "'"
		}
		j.notes = append(j.notes, fmt.Sprintf("parameter '%s' is unknown and was ignored; %s", name, known))
	}
}

// noteLimit adds a note if another limit than the caller's is used.
func (j *Job) noteLimit(now json.RawMessage, l *tool.Limit) {
	if bytes.Equal(now, j.prepared) {
		return
	}
	start, end, err := member(j.prepared, l.Param)
	if err != nil || end == 0 {
		return // it was not given
	}
	given := j.prepared[start:end]
	if from, to, err := member(now, l.Param); err == nil && len(given) <= 40 {
		j.notes = append(j.notes, fmt.Sprintf("%s was %s; %s was used (1 to %d)", l.Param, given, now[from:to], l.Max))
	}
}

// Note adds a sentence that a model reads beside the result.
func (j *Job) Note(text string) { j.notes = append(j.notes, text) }

// notesFor returns what a model is told beside res: the notes about the call's
// arguments before those of the tool.
func (j *Job) notesFor(res *tool.Result) []string {
	given := res.Notes
	if len(given) == 0 && res.Truncated {
		given = []string{cutNote(res)}
	}
	if problem, ok := res.Metadata[resultProblem].(string); ok {
		given = append([]string{"the result does not fit the tool's own result schema: " + problem}, given...)
	}
	if len(j.notes) == 0 && len(given) == 0 {
		return nil
	}
	var all []string
	for _, note := range append(slices.Clip(j.notes), given...) {
		note = strings.ToValidUTF8(strings.TrimSpace(note), "�")
		note = textcut.Clip(note, maxNote)
		if note != "" && len(all) < maxNotes {
			all = append(all, note)
		}
	}
	return all
}

// cutNote returns the note about a result that was cut: how much of it is here, and how
// much there is, if the tool says so in its metadata.
func cutNote(res *tool.Result) string {
	const advice = "; ask for less, or for its parts"
	shown := len(res.Value)
	if res.Text != "" {
		shown = len(res.Text)
	}
	for _, name := range []string{"size", "bytes", "output_bytes"} {
		if whole, ok := res.Metadata[name]; ok {
			return fmt.Sprintf("the result was cut: %d of %v bytes are shown", shown, whole) + advice
		}
	}
	if total, ok := res.Metadata["total"]; ok {
		return fmt.Sprintf("the result was cut: %d bytes are shown, and it has %v entries in all", shown, total) + advice
	}
	return fmt.Sprintf("the result was cut after %d bytes, because it is too long", shown) + advice
}
