package oauth

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// lifeField is the field of an answer with the seconds that a token is valid.
const lifeField = "expires_in"

// wholeLife returns an answer of a token endpoint whose expires_in is a whole number, or is
// not there if it is no number. The library refuses tokens with any other value, and by then
// the provider may have replaced the refresh token.
func wholeLife(answer []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(answer, &fields) != nil || fields[lifeField] == nil {
		return answer
	}
	text := string(fields[lifeField])
	if quoted, err := strconv.Unquote(text); err == nil {
		text = strings.TrimSpace(quoted)
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err == nil && seconds > 0 {
		fields[lifeField] = strconv.AppendInt(nil, int64(min(seconds, math.MaxInt32)), 10)
	} else {
		delete(fields, lifeField)
	}
	whole, err := json.Marshal(fields)
	if err != nil {
		return answer
	}
	return whole
}
