package api

import (
	"bytes"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// TestAnswersHaveEmptyLists: a list of an answer that nobody filled is [], as its schema says.
func TestAnswersHaveEmptyLists(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		protocol.CallList{}, protocol.AuditReport{}, protocol.FileList{}, protocol.ToolStats{}, protocol.CustomToolVersions{},
		&protocol.CustomTool{}, protocol.RemoteInstance{}, protocol.ExecuteAnswer{}, protocol.PolicyInForce{},
	} {
		reply, err := answer(v)
		if err != nil || bytes.Contains(reply.Body, []byte(`null`)) || !bytes.Contains(reply.Body, []byte(`[]`)) {
			t.Errorf("%T is answered as %s, %v; want its lists empty", v, reply.Body, err)
		}
	}
}
