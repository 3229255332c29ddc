package openai

import (
	"strconv"
	"strings"
)

// lastTime returns the time, in seconds, at which the last of the subtitles ends, in the
// formats srt and vtt; false if there are none.
func lastTime(text string) (float64, bool) {
	at := strings.LastIndex(text, "-->")
	if at < 0 {
		return 0, false
	}
	words := strings.Fields(text[at+len("-->"):])
	if len(words) == 0 {
		return 0, false
	}
	var seconds float64
	parts := strings.Split(strings.Replace(words[0], ",", ".", 1), ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	for _, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 || n > 1e6 {
			return 0, false
		}
		seconds = 60*seconds + n
	}
	return seconds, true
}
