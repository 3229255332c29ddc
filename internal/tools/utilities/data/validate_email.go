package data

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/wellformed"
	"github.com/helve-dev/helve/tool"
)

type validateEmailArgs struct {
	Email string `json:"email" alias:"value" doc:"The address."`
}

type validateEmailResult struct {
	Email      string `json:"email"`
	Valid      bool   `json:"valid"`
	Reason     string `json:"reason,omitempty" doc:"Why it is not valid."`
	LocalPart  string `json:"localPart,omitempty" doc:"What stands before the @."`
	Domain     string `json:"domain,omitempty" doc:"What stands behind the @, in lower case."`
	Normalized string `json:"normalized,omitempty" doc:"The address with its domain in lower case, to compare it with others."`
}

var _ = tool.Add(Set, tool.Spec[validateEmailArgs, validateEmailResult]{
	Name: "validate_email",
	Description: "Check whether an e-mail address is well-formed and return the verdict with its local part and domain, or with the reason; " +
		"it does not ask whether the mailbox exists.",
	Tags:       []string{"email check", "validate", "address", "mail", "valid email"},
	Group:      "validation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"email":"Ada.Lovelace@Example.org"}`,
	Run:        validateEmail,
})

func validateEmail(_ context.Context, _ *tool.Call, args validateEmailArgs) (validateEmailResult, error) {
	res := validateEmailResult{Email: textcut.Excerpt(args.Email, longestShown), Reason: wellformed.EmailProblem(args.Email)}
	if res.Valid = res.Reason == ""; res.Valid {
		at := strings.LastIndexByte(args.Email, '@')
		res.LocalPart, res.Domain = args.Email[:at], strings.ToLower(args.Email[at+1:])
		res.Normalized = res.LocalPart + "@" + res.Domain
	}
	return res, nil
}
