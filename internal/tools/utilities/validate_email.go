package utilities

import (
	"context"
	"net/mail"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type validateEmailArgs struct {
	Email string `json:"email" doc:"The address."`
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
	Name:        "validate_email",
	Description: "Check whether an e-mail address is well-formed and return the verdict with its local part and domain, or with the reason; it does not ask whether the mailbox exists.",
	Tags:        []string{"email check", "validate", "address", "mail", "valid email"},
	Group:       "validation",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Errors:      []tool.Kind{},
	Example:     `{"email":"Ada.Lovelace@Example.org"}`,
	Run:         validateEmail,
})

func validateEmail(_ context.Context, _ *tool.Call, args validateEmailArgs) (validateEmailResult, error) {
	res := validateEmailResult{Email: validateShown(args.Email), Reason: emailProblem(args.Email)}
	if res.Valid = res.Reason == ""; res.Valid {
		at := strings.LastIndexByte(args.Email, '@')
		res.LocalPart, res.Domain = args.Email[:at], strings.ToLower(args.Email[at+1:])
		res.Normalized = res.LocalPart + "@" + res.Domain
	}
	return res, nil
}

// emailProblem says why an address is not well-formed, or "". It must be nothing
// but the address, at a host that has a domain.
func emailProblem(address string) string {
	const longest, longestLocal = 254, 64 // RFC 5321
	at := strings.LastIndexByte(address, '@')
	switch {
	case at < 0:
		return "Invalid email format: there is no @"
	case len(address) > longest:
		return "Invalid email format: it is longer than 254 bytes"
	case at > longestLocal:
		return "Invalid email format: the part before the @ is longer than 64 bytes"
	}
	parsed, err := mail.ParseAddress(address)
	domain := address[at+1:]
	if err != nil || parsed.Name != "" || parsed.Address != address && !strings.HasPrefix(address, `"`) || strings.HasPrefix(address, "<") {
		return "Invalid email format"
	}
	if !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") {
		return "Invalid email format: the domain has no dot in it"
	}
	if problem := hostProblem(domain); problem != "" {
		return "Invalid email format: " + problem
	}
	return ""
}
