package call

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/tool"
)

// lenient replaces invalid UTF-8 in written values rather than losing a result over an
// invalid letter.
var lenient = jsontext.AllowInvalidUTF8(true)

var fields = fieldsOf[Call]()

// fixedSize is the approximate size of a message without its arguments or result.
const fixedSize = 512

// Encode returns the call as a message.
func (c *Call) Encode() ([]byte, error) {
	if data, ok := appendObject(make([]byte, 0, fixedSize+len(c.Arguments)), c, fields); ok {
		return data, nil
	}
	return json.Marshal(c, lenient)
}

// Decode reads a call from a message. An error means that the message is dead: no
// result could be sent to its caller.
func Decode(data []byte) (*Call, error) {
	c := new(Call)
	if !parseObject(data, c, fields) {
		*c = Call{}
		if err := json.Unmarshal(data, c); err != nil {
			return nil, err
		}
	}
	// Subjects and events contain these values; an invalid name could leave the tenant's
	// subjects, or form no subject, and no result would ever arrive.
	if !subject.IsCallID(c.ID) || !subject.IsName(c.Origin) || !tool.ValidName(c.Tool) || (c.TraceID != "" && !subject.IsName(c.TraceID)) {
		return nil, fmt.Errorf("call_id, origin and tool are required, and like trace_id must be names")
	}
	return c, nil
}
