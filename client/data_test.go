package client

import (
	"errors"
	"strings"
	"testing"
)

func TestData(t *testing.T) {
	const task = `{"id":"k3f9","user":"ann","name":"x","schedule":"@daily","timezone":"UTC","type":"tool","enabled":true,"missed_runs":"skip","runs":2,"created_at":"2026-11-23T09:00:00Z","updated_at":"2026-11-23T09:00:00Z"}`
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(a asked) reply {
				switch a.op {
				case "data.import":
					return reply{body: `{"added":2,"replaced":0,"kept":1}`}
				case "data.summary":
					return reply{body: `{"items":3,"bytes":90,"collections":[{"name":"notes","items":3,"bytes":90}]}`}
				case "data.delete":
					return reply{body: `{"items":7,"call_results":1,"results":3,"grants":1,"custom_tools":0,"left":["x"]}`}
				case "schedules.list":
					if a.body["cursor"] == nil {
						return reply{body: `{"schedules":[` + task + `],"next":"ann.k3f9"}`}
					}
					return reply{body: `{"schedules":[` + task + `]}`}
				}
				return reply{body: task}
			})
			c := connect(t, f)
			added, err := c.ImportData(t.Context(), "ann", "csv", []byte("a,b"), true)
			if got := f.last().body; err != nil || added.Added != 2 || added.Kept != 1 || got["user"] != "ann" || got["format"] != "csv" ||
				got["data"] != "a,b" || got["replace"] != true {
				t.Errorf("ImportData asked %v: %+v, %v", got, added, err)
			}
			sum, err := c.SummarizeData(t.Context(), "ann")
			if err != nil || sum.Bytes != 90 || len(sum.Collections) != 1 || f.last().op != "data.summary" || f.last().body["user"] != "ann" {
				t.Errorf("SummarizeData asked %+v: %+v, %v", f.last(), sum, err)
			}
			gone, err := c.DeleteData(t.Context(), "ann")
			if err != nil || gone.Items != 7 || gone.Results != 3 || f.last().op != "data.delete" || f.last().body["user"] != "ann" {
				t.Errorf("DeleteData asked %+v: %+v, %v", f.last(), gone, err)
			}
			all, err := c.Schedules(t.Context(), "ann")
			if err != nil || len(all) != 2 || all[1].ID != "k3f9" || f.last().body["cursor"] != "ann.k3f9" || f.last().body["user"] != "ann" {
				t.Errorf("Schedules asked %+v: %+v, %v", f.last(), all, err)
			}
			one, err := c.Schedule(t.Context(), "", "k3f9")
			if err != nil || one.Runs != 2 || f.last().op != "schedules.get" || f.last().body["id"] != "k3f9" || f.last().body["user"] != nil {
				t.Errorf("Schedule asked %+v: %+v, %v", f.last(), one, err)
			}
			if _, err := c.DeleteSchedule(t.Context(), "ann", "k3f9"); err != nil || f.last().op != "schedules.delete" ||
				f.last().body["id"] != "k3f9" || f.last().body["user"] != "ann" {
				t.Errorf("DeleteSchedule asked %+v: %v", f.last(), err)
			}
			if _, err := c.Schedule(t.Context(), "", ""); err == nil {
				t.Error("a task without an id was requested")
			}
		})
	}
}

func TestExportData(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			file, status := `{"collection":"notes"}`+"\n", 0
			f := start(t, func(asked) reply {
				switch {
				case status != 0:
					return reply{status: status, body: `{"error_type":"unavailable","detail":"no worker","message":"no worker"}`}
				case name == "nats":
					return reply{body: `{"format":"jsonl","data":"{\"collection\":\"notes\"}\n"}`}
				}
				return reply{body: file}
			})
			c := connect(t, f)
			var out strings.Builder
			err := c.ExportData(t.Context(), "ann", "jsonl", &out)
			if err != nil || out.String() != file || f.last().op != "data.export" || f.last().body["user"] != "ann" ||
				f.last().body["format"] != "jsonl" {
				t.Errorf("ExportData asked %+v: %q, %v", f.last(), out.String(), err)
			}
			full := errors.New("the disk is full")
			if err := c.ExportData(t.Context(), "", "", fullDisk{full}); !errors.Is(err, full) {
				t.Errorf("to a full disk: %v", err)
			}
			status = 503
			var e *RequestError
			if err := c.ExportData(t.Context(), "", "", &out); !errors.As(err, &e) || e.Type != Unavailable {
				t.Errorf("without a worker: %v", err)
			}
		})
	}
}

type fullDisk struct{ err error }

// Write implements [io.Writer].
func (d fullDisk) Write([]byte) (int, error) { return 0, d.err }
