package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

const (
	// noteTool commits its changes with its result, so it is never started twice in
	// effect and never ends in an unknown outcome.
	noteTool = "add_note"
	listTool = "list_notes"
	// notePage is the size of a page of the list.
	notePage = 50
)

// notes returns the number of stored notes of each title, which is the call_id of the call
// that added it.
func (l *load) notes(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	if l.fleet.opts.Notes == 0 {
		return counts, nil
	}
	for offset, total := 0, 1; offset < total; offset += notePage {
		var page struct {
			Total int                      `json:"total"`
			Notes []struct{ Title string } `json:"notes"`
		}
		if err := l.list(ctx, offset, &page); err != nil {
			return nil, err
		}
		for _, n := range page.Notes {
			counts[n.Title]++
		}
		total = page.Total
	}
	return counts, nil
}

// list reads a page of the notes.
func (l *load) list(ctx context.Context, offset int, page any) error {
	body := fmt.Appendf(nil, `{"calls":[{"tool":%q,"arguments":{"limit":%d,"offset":%d}}],"wait_ms":%d}`,
		listTool, notePage, offset, askTimeout.Milliseconds())
	var text []byte
	for try := range attempts {
		var got struct {
			Results []struct {
				Status string          `json:"status"`
				Result json.RawMessage `json:"result"`
			} `json:"results"`
		}
		_, text = l.asker.send(ctx, http.MethodPost, l.fleet.door(try)+"/v1/execute", body)
		if json.Unmarshal(text, &got) == nil && len(got.Results) == 1 && got.Results[0].Status == "success" {
			return json.Unmarshal(got.Results[0].Result, page)
		}
		if err := pause(ctx, restTime); err != nil {
			return err
		}
	}
	return fmt.Errorf("the notes cannot be listed: %s", text)
}

// noted compares the stored notes of a call with its outcome.
func (v *life) noted(r *Report, notes int) {
	if v.call.Tool != noteTool {
		return
	}
	last := v.ops[len(v.ops)-1].answer
	switch success := last.outcome == "success"; {
	case notes > 1:
		r.Effects++
		r.samplef("%s stored %d notes", v.call.ID, notes)
	case success && notes == 0:
		r.Unfounded++
		r.samplef("%s succeeded and stored no note", v.call.ID)
	case !success && notes == 1, last.outcome == "outcome_unknown":
		r.Unfinished++
		r.samplef("%s stored %d notes and ended in %s", v.call.ID, notes, last)
	}
}
