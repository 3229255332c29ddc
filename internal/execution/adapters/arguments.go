package adapters

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// maxKept bounds the arguments that are kept with a result, in bytes: they are in a header.
const maxKept = 4 << 10

// lineEnds would end a header, or are between the arguments of a group. In JSON they stand
// between values only.
const lineEnds = "\n\r\t"

// KeptArguments returns the arguments of a call as they are kept with its result, for people
// who look at the call later: without defaults, so that they have the hash of the call and can
// be sent again. Values that the schema marks as secret are hidden here; what only looks like a
// secret is hidden when somebody looks, because to find that takes longer than most calls.
// Larger arguments are not kept.
func KeptArguments(j *engine.Job) []byte {
	def := j.Definition()
	if def == nil {
		return nil
	}
	args := j.Given()
	if len(args) > 0 && args[0] == '"' { // a model may send the object as a text
		args = json.RawMessage(jsonwalk.Text(jsontext.Value(args)))
	}
	return keptOf(args, def.Parameters)
}

func keptOf(args, schema json.RawMessage) []byte {
	if len(args) == 0 || len(args) > maxKept {
		return nil
	}
	if preview.Marked(schema) {
		shown, err := preview.Of(args, schema)
		if err != nil || len(shown.Arguments) > maxKept {
			return nil
		}
		return append([]byte{queue.ArgumentsShown}, shown.Arguments...)
	}
	line := append(make([]byte, 0, len(args)+1), queue.ArgumentsSent)
	if !bytes.ContainsAny(args, lineEnds) { // so as most are sent
		return append(line, args...)
	}
	compact := bytes.NewBuffer(line)
	if json.Compact(compact, args) != nil {
		return nil
	}
	return compact.Bytes()
}
