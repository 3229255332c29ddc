package data

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/wellformed"
	"github.com/helve-dev/helve/tool"
)

type validateArgs struct {
	Value string `json:"value" doc:"What to check."`
	Type  string `json:"type" enum:"email,url,json,credit_card,iban,phone,uuid,ip,tc_kimlik" doc:"What it should be; tc_kimlik is a Turkish identity number."`
}

// verdict is the outcome of a check. Its fields other than Valid and Reason depend on
// the kind of value.
type verdict struct {
	Type       string          `json:"type" doc:"As it was asked for, or for a valid credit card its brand, such as Visa."`
	Value      string          `json:"value" doc:"What was checked, the beginning of it if it is long."`
	Valid      bool            `json:"valid"`
	Reason     string          `json:"reason,omitempty" doc:"Why it is not valid."`
	Parsed     json.RawMessage `json:"parsed,omitempty" doc:"The value that the JSON text holds."`
	Country    string          `json:"country,omitempty" doc:"Country code of an IBAN."`
	Normalized string          `json:"normalized,omitempty" doc:"The digits of a phone number."`
	Version    string          `json:"version,omitempty" doc:"IPv4 or IPv6."`
}

var _ = tool.Add(Set, tool.Spec[validateArgs, verdict]{
	Name: "validate",
	Description: "Check whether a value is a well-formed e-mail address, URL, JSON text, credit card number, IBAN, phone number, UUID, " +
		"IP address or Turkish identity number, and return the verdict with the reason if it is not.",
	Aliases:    []string{"validate_data"},
	Tags:       []string{"validate", "check", "valid", "email", "url", "phone", "format", "verify", "checksum", "luhn", "iban", "uuid"},
	Group:      "utilities",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"value":"GB82 WEST 1234 5698 7654 32","type":"iban"}`,
	Run:        validateValue,
})

// longestShown is the number of characters of a value that the result repeats.
const longestShown = 200

func validateValue(_ context.Context, _ *tool.Call, args validateArgs) (verdict, error) {
	v := verdict{Type: args.Type, Value: textcut.Excerpt(args.Value, longestShown)}
	switch args.Type {
	case "email":
		v.Reason = wellformed.EmailProblem(args.Value)
	case "url":
		_, v.Reason = wellformed.URL(args.Value)
	case "json":
		v.Parsed, v.Reason = validateJSON(args.Value)
	case "credit_card":
		var brand string
		if brand, v.Reason = wellformed.Card(args.Value); v.Reason == "" {
			v.Type = brand
		}
	case "iban":
		v.Country, v.Reason = wellformed.IBAN(args.Value)
	case "phone":
		v.Normalized, v.Reason = wellformed.Phone(args.Value)
	case "uuid":
		v.Reason = wellformed.UUIDProblem(args.Value)
	case "ip":
		v.Version, v.Reason = wellformed.IP(args.Value)
	case "tc_kimlik":
		v.Reason = wellformed.TCKimlikProblem(args.Value)
	}
	v.Valid = v.Reason == ""
	return v, nil
}

func validateJSON(text string) (parsed json.RawMessage, reason string) {
	if problem := jsonvalue.Problem([]byte(text)); problem != "" {
		return nil, "Invalid JSON: " + problem
	}
	return json.RawMessage(text), ""
}
