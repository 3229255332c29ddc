package consent

import (
	"encoding/json"

	"github.com/helve-dev/helve/protocol"
)

// MaxComment is the maximum length of a decision's comment, in characters.
const MaxComment = 1000

// Decision is a person's decision on a request, before it is stored as the verdict.
type Decision struct {
	// Grant is set to approve; otherwise the decision is to deny.
	Grant bool
	// Remember is the duration of an approval.
	Remember protocol.Remember
	// NeverAsk makes a denial last: later calls fail immediately, without a request.
	NeverAsk bool
	// Comment is for people, at most [MaxComment] characters.
	Comment string
	// Answer is the answer to a question, an object.
	Answer json.RawMessage
}
