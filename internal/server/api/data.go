package api

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// PersonalData reaches the data of persons, which workers hold. Its errors that a caller
// may see are of type [*RequestError].
type PersonalData interface {
	// Summary returns how much is kept of a person, by collection.
	Summary(ctx context.Context, tenant, user string) (protocol.DataSummary, error)
	// Export writes the data of a person in a format.
	Export(ctx context.Context, tenant, user, format string, w io.Writer) error
	// Import stores a file of that format for a person.
	Import(ctx context.Context, tenant, user, format string, file io.Reader, replace bool) (protocol.DataImported, error)
	// Delete deletes everything of a person but the audit trail.
	Delete(ctx context.Context, tenant, user string) (protocol.DataDeleted, error)
	// Schedules returns a page of the scheduled tasks of a person, or with an empty user of
	// the tenant.
	Schedules(ctx context.Context, tenant, user string, limit int, cursor string) (protocol.ScheduleList, error)
	// Schedule returns a task. DeleteSchedule deletes it and returns it as it was.
	Schedule(ctx context.Context, tenant, user, id string) (protocol.Schedule, error)
	DeleteSchedule(ctx context.Context, tenant, user, id string) (protocol.Schedule, error)
}

// DataExport is the name of the operation whose answer HTTP streams.
const DataExport = "data.export"

// defaultFormat is the format of exports and imports that name none.
const defaultFormat = "jsonl"

// formats are the media types of exports by format.
var formats = map[string]string{
	defaultFormat: "application/jsonl", "csv": "text/csv; charset=utf-8", "html": "text/html; charset=utf-8",
	"ics": "text/calendar; charset=utf-8", "vcf": "text/vcard; charset=utf-8",
}

// personOfData returns the person whose data a request is about: the caller, or for an
// admin the person named. An agent may not handle all data of its person.
func (s *Service) personOfData(in Input, named string) (string, error) {
	if s.Data == nil {
		return "", missing("personal data")
	}
	if in.By.Agent != "" {
		return "", Forbidden("the agent %q cannot export, import or delete all data of a person: a person must", in.By.Agent)
	}
	user, err := whose(in, named, identity.Admin)
	if err == nil && user == "" {
		if user = in.By.User; user == "" {
			err = BadRequest("user is missing: the person whose data it is; _ is the person of calls without a user")
		}
	}
	return user, err
}

// dataFormat returns a format that there is.
func dataFormat(name string) (string, error) {
	name = cmp.Or(name, defaultFormat)
	if formats[name] == "" {
		return "", BadRequest("format is %.40q; use jsonl, csv, ics, vcf or html", name)
	}
	return name, nil
}

func (s *Service) summarizeData(ctx context.Context, in Input) (Reply, error) {
	user, err := s.personOfData(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	if err := s.looked(ctx, in.Tenant, user, "data.summary", "the collections of the person are listed"); err != nil {
		return Reply{}, err
	}
	sum, err := s.Data.Summary(ctx, in.Tenant, user)
	if err != nil {
		return Reply{}, err
	}
	sum.Collections = array(sum.Collections)
	return answer(sum)
}

// StreamExport is the operation op, data.export, for a transport that streams: it writes
// the data of a person to w. It calls begin with the media type before the first byte.
func (s *Service) StreamExport(ctx context.Context, op Operation, in Input, begin func(media string), w io.Writer) error {
	if err := s.authorize(&in, op); err != nil {
		return err
	}
	return s.export(ctx, in, begin, w)
}

func (s *Service) export(ctx context.Context, in Input, begin func(media string), w io.Writer) error {
	user, err := s.personOfData(in, in.Params["user"])
	if err != nil {
		return err
	}
	format, err := dataFormat(in.Params["format"])
	if err != nil {
		return err
	}
	begun := false
	return s.Data.Export(identity.With(ctx, in.By), in.Tenant, user, format, writer(func(p []byte) (int, error) {
		if !begun {
			begun = true
			begin(formats[format])
		}
		return w.Write(p)
	}))
}

// writer implements [io.Writer] by a function.
type writer func(p []byte) (int, error)

// Write implements [io.Writer].
func (f writer) Write(p []byte) (int, error) { return f(p) }

// exportData answers with the whole export, if it fits a message.
func (s *Service) exportData(ctx context.Context, in Input) (Reply, error) {
	room := dispatch.AnswerLimit(ctx, s.Limits.Body)
	var all bytes.Buffer
	err := s.export(ctx, in, func(string) {}, writer(func(p []byte) (int, error) {
		if all.Len()+len(p) > room {
			return 0, TooLarge(
				"the export is larger than %d bytes, which an answer over NATS can hold; request it over HTTP (GET /v1/data/export), which streams it",
				room,
			)
		}
		return all.Write(p)
	}))
	if err != nil {
		return Reply{}, err
	}
	reply, err := answer(protocol.DataExport{Format: cmp.Or(in.Params["format"], defaultFormat), Data: all.String()})
	if err == nil && len(reply.Body) > room {
		err = TooLarge(
			"the export is larger than %d bytes, which an answer over NATS can hold; request it over HTTP (GET /v1/data/export), which streams it",
			room,
		)
	}
	return reply, err
}

func (s *Service) importData(ctx context.Context, in Input) (Reply, error) {
	var body protocol.DataImport
	if err := parseBody(in.Body, &body, `{"user": "ann", "format": "jsonl", "data": "…"}`); err != nil {
		return Reply{}, err
	}
	user, err := s.personOfData(in, body.User)
	if err != nil {
		return Reply{}, err
	}
	format, err := dataFormat(body.Format)
	if err != nil {
		return Reply{}, err
	}
	if body.Data == "" {
		return Reply{}, BadRequest("data is missing: the text of the file")
	}
	done, err := s.Data.Import(ctx, in.Tenant, user, format, strings.NewReader(body.Data), body.Replace)
	if err != nil {
		return Reply{}, err
	}
	return answer(done)
}

func (s *Service) deleteData(ctx context.Context, in Input) (Reply, error) {
	user, err := s.personOfData(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	done, err := s.Data.Delete(ctx, in.Tenant, user)
	if err != nil {
		return Reply{}, err
	}
	done.Left = array(done.Left)
	return answer(done)
}

// personOfSchedules returns the person whose tasks a caller may see or delete; empty means
// everybody's.
func (s *Service) personOfSchedules(in Input, wide ...identity.Role) (string, error) {
	if s.Data == nil {
		return "", missing("schedules")
	}
	return whose(in, in.Params["user"], wide...)
}

func (s *Service) listSchedules(ctx context.Context, in Input) (Reply, error) {
	user, err := s.personOfSchedules(in, identity.Admin, identity.Auditor)
	if err != nil {
		return Reply{}, err
	}
	limit, err := pageSize(in.Params["limit"])
	if err != nil {
		return Reply{}, err
	}
	if err := s.looked(ctx, in.Tenant, user, "schedules.list", "the scheduled tasks are listed"); err != nil {
		return Reply{}, err
	}
	list, err := s.Data.Schedules(ctx, in.Tenant, user, limit, in.Params["cursor"])
	if err != nil {
		return Reply{}, err
	}
	list.Schedules = array(list.Schedules)
	return answer(list)
}

func (s *Service) getSchedule(ctx context.Context, in Input) (Reply, error) {
	return s.schedule(ctx, in, func(d PersonalData, ctx context.Context, tenant, user, id string) (protocol.Schedule, error) {
		task, err := d.Schedule(ctx, tenant, user, id)
		if err == nil {
			err = s.looked(ctx, tenant, task.User, "schedules.get", "the scheduled task "+id+" is shown")
		}
		return task, err
	}, identity.Admin, identity.Auditor)
}

func (s *Service) deleteSchedule(ctx context.Context, in Input) (Reply, error) {
	return s.schedule(ctx, in, PersonalData.DeleteSchedule, identity.Admin)
}

func (s *Service) schedule(
	ctx context.Context, in Input, do func(d PersonalData, ctx context.Context, tenant, user, id string) (protocol.Schedule, error),
	wide ...identity.Role,
) (Reply, error) {
	user, err := s.personOfSchedules(in, wide...)
	if err != nil {
		return Reply{}, err
	}
	id := in.Params["id"]
	if !validName(id, maxName) {
		return Reply{}, badName("id", id, maxName)
	}
	task, err := do(s.Data, ctx, in.Tenant, user, id)
	if err != nil {
		return Reply{}, err
	}
	return answer(task)
}

// MediaType returns the media type of a format of exports.
func MediaType(format string) string { return formats[cmp.Or(format, defaultFormat)] }
