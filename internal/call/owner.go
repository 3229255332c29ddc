package call

import "github.com/helve-dev/helve/protocol"

// Owner is the answer of the process that has a call.
type Owner struct {
	State  string `json:"state"`
	Origin string `json:"origin"`
	Tool   string `json:"tool"`
	Pool   string `json:"pool,omitempty"`
	By     string `json:"by"`
	// Owner is the person and agent of the call.
	Owner *protocol.Owner `json:"owner,omitempty"`
	// Direct means that the call is not queued: its worker received it directly.
	Direct bool `json:"direct,omitempty"`
	// Inner are the nested calls of this call in remote processes.
	Inner []string `json:"inner,omitempty"`
}
