package worker

import (
	"bytes"
	"encoding/json"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/queue"
)

// maxKept bounds the arguments that are kept with a result, in bytes: they are in a header.
const maxKept = 4 << 10

// keptArguments returns the arguments of a call as they are kept with its result, for people
// who look at the call later. Values that the schema marks as secret are hidden here; what
// only looks like a secret is hidden when somebody looks, because to find that takes longer
// than most calls. Larger arguments are not kept.
func keptArguments(j *engine.Job) []byte {
	def, args := j.Definition(), j.Arguments()
	if args == nil { // they were refused
		args = j.Args
	}
	if def == nil || len(args) == 0 || len(args) > maxKept {
		return nil
	}
	if preview.Marked(def.Parameters) {
		shown, err := preview.Of(args, def.Parameters)
		if err != nil || len(shown.Arguments) > maxKept {
			return nil
		}
		return append([]byte{queue.ArgumentsShown}, shown.Arguments...)
	}
	line := bytes.NewBuffer(make([]byte, 0, len(args)+1))
	line.WriteByte(queue.ArgumentsSent)
	if json.Compact(line, args) != nil { // also without line breaks, which end a header
		return nil
	}
	return line.Bytes()
}
