package codingagents

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// event is a line of Claude Code's --output-format stream-json, with the fields used
// here.
type event struct {
	Type    string   `json:"type"`
	Subtype string   `json:"subtype"`
	Result  string   `json:"result"`
	IsError bool     `json:"is_error"`
	Cost    *float64 `json:"total_cost_usd"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// block is a part of an agent's message.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Name string `json:"name"`
}

// reader converts an agent's lines to text, and reads the costs from them.
type reader struct {
	events  bool // the lines are Claude Code's events
	said    string
	cost    *float64
	certain bool   // the cost is from an event, not from a text
	ended   bool   // the agent reported its end
	failure string // the reason, if it failed
}

var costForm = regexp.MustCompile(`(?i)\btotal cost:?\s*(?:\(usd\)|usd)?\s*\$?\s*([0-9]{1,7}(?:\.[0-9]{1,12})?)`)

// line returns the text to show for a line, without its line end.
func (r *reader) line(line string) (shown string, show bool) {
	var e event
	if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "{") && json.Unmarshal([]byte(trimmed), &e) == nil {
		if e.Cost != nil && *e.Cost >= 0 {
			r.cost, r.certain = e.Cost, true
		}
		if r.events && e.Type != "" {
			return r.event(&e)
		}
		return line, true
	}
	if !r.certain && len(line) <= maxCostLine && strings.Contains(strings.ToLower(line), "cost") {
		r.guess(line)
	}
	return line, true
}

// maxCostLine is the longest line that is searched for a cost, in bytes.
const maxCostLine = 1 << 10

func (r *reader) guess(line string) {
	if m := costForm.FindStringSubmatch(line); m != nil {
		if cost, err := strconv.ParseFloat(m[1], 64); err == nil {
			r.cost = &cost
		}
	}
}

func (r *reader) event(e *event) (shown string, show bool) {
	switch e.Type {
	case "assistant":
		var blocks []block
		if json.Unmarshal(e.Message.Content, &blocks) != nil {
			return "", false
		}
		var parts []string
		for _, b := range blocks {
			switch {
			case b.Type == "text" && b.Text != "":
				r.said = b.Text
				parts = append(parts, b.Text)
			case b.Type == "tool_use":
				parts = append(parts, "["+b.Name+"]")
			}
		}
		return strings.Join(parts, "\n"), len(parts) > 0
	case "result":
		r.ended = true
		switch {
		case e.Subtype != "" && e.Subtype != "success":
			r.failure = e.Subtype
		case e.IsError: // for example without an account
			r.failure = cmp.Or(strings.TrimSpace(e.Result), "an error")
		}
		if e.Result == r.said {
			return "", false
		}
		return e.Result, e.Result != ""
	}
	return "", false
}
