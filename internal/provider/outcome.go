package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Outcome is the outcome of a call: the part of an execute result for the model.
type Outcome struct {
	// Status is success, error, or pending with a Message.
	Status string
	// Result is the result of a success: any JSON value, null if empty. It is copied
	// unchanged, so it must be valid JSON.
	Result json.RawMessage
	// Text, if the tool has such a form, is sent in place of Result.
	Text *string
	// CallID is the call's own ID, for a note how to get what a message cannot carry.
	CallID string
	// Content, if the result is more than a value, is a JSON array of blocks as MCP defines
	// them. Their images are sent beside the text in the formats that have images in results;
	// an error may have some too.
	Content json.RawMessage
	// Notes are sentences to show beside the result of a success.
	Notes []string
	// ErrorType and Message are those of an error; a call that is pending has the Message alone.
	ErrorType, Message string
}

// Messages writes the results of a message's calls, in their order: a JSON array of the
// messages to append to the conversation after the model's own, [] for no calls. There
// must be an outcome for each call, and each must be final, or pending with a Message.
func (f Format) Messages(calls []Call, outcomes []Outcome) (json.RawMessage, error) {
	d, err := f.talk()
	if err != nil {
		return nil, err
	}
	if len(calls) != len(outcomes) {
		return nil, fmt.Errorf("there are %d calls and %d outcomes", len(calls), len(outcomes))
	}
	if len(calls) == 0 {
		return json.RawMessage("[]"), nil
	}
	size := 0
	for i, o := range outcomes {
		if o.Status != "success" && o.Status != "error" && (o.Status != "pending" || o.Message == "") {
			return nil, fmt.Errorf("call %d has the status %.40q; only success and error can be told a model", i, o.Status)
		}
		size += len(o.Result) + len(o.Message) + len(o.Content) + len(calls[i].Name) + 256
		if o.Text != nil {
			size += len(*o.Text)
		}
	}
	w := append(make([]byte, 0, size+size/8), d.before...)
	for i := range calls {
		if i > 0 {
			w = append(w, ',')
		}
		w = d.answer(w, &calls[i], &outcomes[i])
	}
	return append(w, d.after...), nil
}

// content appends the text for the model, the same in every format but for the note about
// images, which only some formats carry.
func (o *Outcome) content(w []byte, carries bool) []byte {
	switch {
	case o.Status == "pending":
		w = quote(append(w, `{"status":"pending","call_id":`...), o.CallID)
		w = quote(append(w, `,"message":`...), o.Message)
	case o.Status != "success":
		w = quote(append(w, `{"status":"error","error_type":`...), o.ErrorType)
		w = quote(append(w, `,"message":`...), o.Message)
	case o.Text != nil && o.apart():
		w = quote(append(w, `{"status":"success","result":`...), *o.Text+"\n"+string(o.Result))
	case o.Text != nil:
		w = quote(append(w, `{"status":"success","result":`...), *o.Text)
	case len(o.Result) == 0:
		w = append(w, `{"status":"success","result":null`...)
	default:
		w = append(append(w, `{"status":"success","result":`...), o.Result...)
	}
	notes := o.Notes
	if unseen := o.unseen(carries); unseen != "" {
		notes = append(notes[:min(len(notes), maxNotes-1):min(len(notes), maxNotes-1)], unseen)
	} else if o.Status != "success" {
		notes = nil
	}
	if len(notes) > 0 {
		w = append(w, `,"notes":[`...)
		for i, note := range notes {
			if i > 0 {
				w = append(w, ',')
			}
			w = quote(w, note)
		}
		w = append(w, ']')
	}
	return append(w, '}')
}

// apart reports whether the result is a value beside the text, and not the value that the
// text says or describes: a tool with content sends both.
func (o *Outcome) apart() bool {
	return len(trimmed(o.Content)) > 0 && len(o.Result) > 0 && !bytes.HasPrefix(o.Result, []byte(`{"content":[`)) && kind(o.Result) != '"'
}

// quoted appends the content as a JSON string.
func (o *Outcome) quoted(w []byte, carries bool) []byte {
	return quote(w, o.content(make([]byte, 0, 64+len(o.Result)), carries))
}
