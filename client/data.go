package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// DataImported counts the items of an import.
type DataImported = protocol.DataImported

// DataDeleted counts the removed items of a deletion, and lists the rest that expires later.
type DataDeleted = protocol.DataDeleted

// Schedule is a scheduled task of a person.
type Schedule = protocol.Schedule

// dataPatience is the time that an operation on all data of a person may take.
const dataPatience = 30 * time.Minute

// ImportData stores the items of a file for a person, the caller if user is empty. An item
// whose id is taken is left out, or with replace takes the place of the stored one. A file
// larger than a request can be is imported in parts.
func (c *Client) ImportData(ctx context.Context, user, format string, file []byte, replace bool) (DataImported, error) {
	var done DataImported
	body, err := json.Marshal(protocol.DataImport{User: user, Format: format, Data: string(file), Replace: replace})
	if err != nil {
		return done, misused("the file is not UTF-8 text: %v", err)
	}
	got, err := c.ask(ctx, operation{
		name:     "data.import",
		method:   http.MethodPost,
		path:     "/v1/data/import",
		body:     body,
		patience: dataPatience,
	})
	if err != nil {
		return done, err
	}
	return done, decode(got, &done)
}

// DataSummary has the amounts that are kept of a person, by collection.
type DataSummary = protocol.DataSummary

// SummarizeData returns how much is kept of a person, of the caller if user is empty.
func (c *Client) SummarizeData(ctx context.Context, user string) (DataSummary, error) {
	var sum DataSummary
	got, err := c.ask(ctx, list("data.summary", "/v1/data", given(map[string]string{"user": user})))
	if err != nil {
		return sum, err
	}
	return sum, decode(got, &sum)
}

// DeleteData deletes all data of a person but the audit trail, of the caller if user is
// empty.
func (c *Client) DeleteData(ctx context.Context, user string) (DataDeleted, error) {
	var done DataDeleted
	op := list("data.delete", "/v1/data", given(map[string]string{"user": user}))
	op.method, op.patience = http.MethodDelete, dataPatience
	got, err := c.ask(ctx, op)
	if err != nil {
		return done, err
	}
	return done, decode(got, &done)
}

// Schedules returns the scheduled tasks of a person, or with an empty name all that the
// caller may see.
func (c *Client) Schedules(ctx context.Context, user string) (all []Schedule, err error) {
	params := given(map[string]string{"user": user})
	err = pages(params, func() (string, error) {
		var page protocol.ScheduleList
		body, err := c.ask(ctx, list("schedules.list", "/v1/schedules", params))
		if err == nil {
			err = decode(body, &page)
		}
		all = append(all, page.Schedules...)
		return page.Next, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Schedule returns a scheduled task with its history. User may be empty if the caller's, or
// only one person's, task has the id.
func (c *Client) Schedule(ctx context.Context, user, id string) (Schedule, error) {
	return c.schedule(ctx, "schedules.get", http.MethodGet, user, id)
}

// DeleteSchedule deletes a scheduled task and returns it as it was.
func (c *Client) DeleteSchedule(ctx context.Context, user, id string) (Schedule, error) {
	return c.schedule(ctx, "schedules.delete", http.MethodDelete, user, id)
}

func (c *Client) schedule(ctx context.Context, name, method, user, id string) (s Schedule, err error) {
	if id == "" {
		return s, misused("the id of the scheduled task is missing")
	}
	op := list(name, "/v1/schedules/"+url.PathEscape(id), given(map[string]string{"user": user}))
	op.method, op.fields = method, given(map[string]string{"user": user, "id": id})
	got, err := c.ask(ctx, op)
	if err != nil {
		return s, err
	}
	return s, decode(got, &s)
}

// ExportData writes the data of a person, of the caller if user is empty, to w: in the
// format jsonl (everything), csv, ics, vcf or html. Over NATS it is limited to the size of a
// message. After an error w holds a part.
func (c *Client) ExportData(ctx context.Context, user, format string, w io.Writer) error {
	op := list("data.export", "/v1/data/export", given(map[string]string{"user": user, "format": format}))
	ctx, cancel := context.WithTimeoutCause(ctx, dataPatience, c.via.silence())
	defer cancel()
	if t, ok := c.via.(*httpTransport); ok {
		return t.download(ctx, op, w)
	}
	op.patience = dataPatience
	got, err := c.ask(ctx, op)
	if err != nil {
		return err
	}
	var file protocol.DataExport
	if err := decode(got, &file); err != nil {
		return err
	}
	_, err = io.WriteString(w, file.Data)
	return err
}

// download writes the answer to a request to w as it comes.
func (t *httpTransport) download(ctx context.Context, op operation, w io.Writer) error {
	resp, err := t.send(ctx, op, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, err := readBody(resp)
		if err != nil {
			return ended(ctx, unreachable(t.shown, err))
		}
		return t.refused(resp.StatusCode, answer{body: body, retryAfter: parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())})
	}
	into := writing{w: w}
	if _, err := io.Copy(&into, resp.Body); err != nil {
		if into.failed != nil {
			return into.failed
		}
		return ended(ctx, unreachable(t.shown, fmt.Errorf("the answer ended early: %w", err)))
	}
	return nil
}

// writing notes the error of a writer.
type writing struct {
	w      io.Writer
	failed error
}

// Write implements [io.Writer].
func (w *writing) Write(p []byte) (n int, err error) {
	n, w.failed = w.w.Write(p)
	return n, w.failed
}
