package audit

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/protocol"
)

// OCSF's class API Activity; schema.ocsf.io, version 1.2.0: category 6
// (Application Activity), class 6003 (API Activity).
const (
	ocsfVersion  = "1.2.0"
	ocsfCategory = 6
	ocsfClass    = 6003

	ocsfOther = 99 // of activity_id and status_id

	ocsfSuccess = 1 // of status_id
	ocsfFailure = 2

	ocsfInformational = 1 // of severity_id
	ocsfLow           = 2
	ocsfMedium        = 3
)

type ocsfEvent struct {
	ActivityID   int          `json:"activity_id"`
	ActivityName string       `json:"activity_name"`
	CategoryUID  int          `json:"category_uid"`
	ClassUID     int          `json:"class_uid"`
	TypeUID      int          `json:"type_uid"`
	Time         int64        `json:"time"`
	StartTime    int64        `json:"start_time,omitzero"`
	EndTime      int64        `json:"end_time,omitzero"`
	Duration     int64        `json:"duration,omitzero"`
	SeverityID   int          `json:"severity_id"`
	StatusID     int          `json:"status_id,omitzero"`
	Status       string       `json:"status,omitzero"`
	StatusCode   string       `json:"status_code,omitzero"`
	StatusDetail string       `json:"status_detail,omitzero"`
	Actor        ocsfActor    `json:"actor"`
	API          ocsfAPI      `json:"api"`
	SrcEndpoint  ocsfNamed    `json:"src_endpoint"`
	Metadata     ocsfMetadata `json:"metadata"`
	Unmapped     ocsfRest     `json:"unmapped"`
}

// ocsfRest holds the members of a record that OCSF does not have.
type ocsfRest struct {
	Phase     protocol.AuditPhase     `json:"phase"`
	By        string                  `json:"by,omitzero"`
	ArgsHash  string                  `json:"args_hash,omitzero"`
	ConsentID string                  `json:"consent_id,omitzero"`
	TokenID   string                  `json:"token_id,omitzero"`
	GrantID   string                  `json:"grant_id,omitzero"`
	Decision  *protocol.AuditDecision `json:"decision,omitempty"`
	Result    *protocol.AuditResult   `json:"result,omitempty"`
	Attempt   int                     `json:"attempt,omitzero"`
	Detail    string                  `json:"detail,omitzero"`
	Part      int                     `json:"part,omitzero"`
	Origin    string                  `json:"origin,omitzero"`
}

type ocsfNamed struct {
	UID  string `json:"uid,omitzero"`
	Name string `json:"name,omitzero"`
}

type ocsfActor struct {
	User    *ocsfNamed `json:"user,omitempty"`
	Session *ocsfNamed `json:"session,omitempty"`
	AppName string     `json:"app_name,omitzero"`
}

type ocsfAPI struct {
	Operation string     `json:"operation"`
	Version   string     `json:"version,omitzero"`
	Request   *ocsfNamed `json:"request,omitempty"`
	Response  *struct {
		Error string `json:"error"`
	} `json:"response,omitempty"`
}

type ocsfMetadata struct {
	Version        string `json:"version"`
	UID            string `json:"uid,omitzero"`
	Sequence       uint64 `json:"sequence"`
	CorrelationUID string `json:"correlation_uid,omitzero"`
	TenantUID      string `json:"tenant_uid,omitzero"`
	Product        struct {
		Name   string `json:"name"`
		Vendor string `json:"vendor_name"`
	} `json:"product"`
}

// OCSF writes the records of an export as OCSF events of the class API Activity, one
// JSON object per line. A tool is the operation of an API. An activity is none of
// OCSF's four and is named after the phase. Members that OCSF does not have are in
// unmapped, as in the record.
func OCSF(w io.Writer, export io.Reader) error {
	out := jsontext.NewEncoder(w)
	return eachRecord(export, func(r *protocol.AuditRecord) error {
		e := ocsfOf(r)
		return json.MarshalEncode(out, &e)
	})
}

func ocsfOf(r *protocol.AuditRecord) ocsfEvent {
	e := ocsfEvent{
		ActivityID: ocsfOther, ActivityName: string(r.Phase),
		CategoryUID: ocsfCategory, ClassUID: ocsfClass, TypeUID: ocsfClass*100 + ocsfOther,
		Time: r.Time.UnixMilli(), Duration: int64(r.DurationMS), SeverityID: ocsfInformational,
		Actor:       ocsfActor{AppName: r.Agent},
		API:         ocsfAPI{Operation: r.Tool, Version: r.ToolVersion},
		SrcEndpoint: ocsfNamed{Name: "helve"},
		Metadata:    ocsfMetadata{Version: ocsfVersion, UID: r.ID, Sequence: r.Seq, CorrelationUID: r.TraceID, TenantUID: r.Tenant},
	}
	e.Metadata.Product.Name, e.Metadata.Product.Vendor = "Helve", "Helve"
	if e.API.Operation == "" {
		e.API.Operation = "helve." + string(r.Phase) // required: for records that are about no tool
	}
	if r.Worker != "" {
		e.SrcEndpoint = ocsfNamed{UID: r.Worker, Name: r.Worker}
	}
	if r.User != "" {
		e.Actor.User = &ocsfNamed{UID: r.User, Name: r.User}
	}
	if r.Conversation != "" {
		e.Actor.Session = &ocsfNamed{UID: r.Conversation}
	}
	if e.Actor == (ocsfActor{}) { // one of them is required
		e.Actor.AppName = "helve"
	}
	if r.CallID != "" {
		e.API.Request = &ocsfNamed{UID: r.CallID}
	}
	if r.StartedAt != nil {
		e.StartTime = r.StartedAt.UnixMilli()
	}
	if r.EndedAt != nil {
		e.EndTime = r.EndedAt.UnixMilli()
	}
	e.judge(r)
	e.Unmapped = ocsfRest{
		r.Phase, r.By, r.ArgsHash, r.ConsentID, r.TokenID, r.GrantID, r.Decision, r.Result, r.Attempt, r.Detail, r.Part, r.Origin,
	}
	return e
}

// judge returns the status and severity: a refusal is more severe than a failure.
func (e *ocsfEvent) judge(r *protocol.AuditRecord) {
	decision, result := decisionOf(r), resultOf(r)
	e.StatusDetail, e.StatusCode = decision.Reason, result.ErrorType
	switch {
	case decision.Outcome == protocol.OutcomeBlocked:
		e.StatusID, e.Status, e.SeverityID = ocsfFailure, "Failure", ocsfMedium
	case result.Status == "success":
		e.StatusID, e.Status = ocsfSuccess, "Success"
	case result.Status != "":
		e.StatusID, e.Status, e.SeverityID = ocsfFailure, "Failure", ocsfLow
	}
	if result.ErrorType != "" {
		e.API.Response = &struct {
			Error string `json:"error"`
		}{result.ErrorType}
	}
}
