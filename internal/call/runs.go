package call

import (
	"strings"

	"github.com/helve-dev/helve/protocol"
)

// Runs returns runs of programs as text, which is written and read faster than a list.
func Runs(list []protocol.ProgramRun) string {
	var text strings.Builder
	for i, of := range list {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(of.CallID + ":" + of.Run)
	}
	return text.String()
}

// ProgramRuns returns the runs of the programs around the call, the innermost first.
func (c *Call) ProgramRuns() (list []protocol.ProgramRun) {
	for one := range strings.FieldsSeq(c.Runs) {
		if id, run, ok := strings.Cut(one, ":"); ok {
			list = append(list, protocol.ProgramRun{CallID: id, Run: run})
		}
	}
	return list
}
