package data

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestValidateEmail(t *testing.T) {
	tooltest.Run(t, Set, "validate_email", tool.Call{}, []tooltest.Case{
		{
			Name: "valid",
			Args: `{"email":"Ada.L@Example.ORG"}`,
			Want: `{"email":"Ada.L@Example.ORG","valid":true,"localPart":"Ada.L","domain":"example.org","normalized":"Ada.L@example.org"}`,
		},
		{
			Name: "quoted",
			Args: `{"email":"\"a@b\"@example.org"}`,
			Want: `{"email":"\"a@b\"@example.org","valid":true,"localPart":"\"a@b\"","domain":"example.org","normalized":"\"a@b\"@example.org"}`,
		},
		{Name: "invalid", Args: `{"email":"ada@"}`, Want: `{"email":"ada@","valid":false,"reason":"Invalid email format"}`},
		{
			Name: "two dots",
			Args: `{"email":"a..b@example.org"}`,
			Want: `{"email":"a..b@example.org","valid":false,"reason":"Invalid email format"}`,
		},
		{
			Name: "line end",
			Args: `{"email":"a@example.org\nBcc: b@example.org"}`,
			Want: `{"email":"a@example.org\nBcc: b@example.org","valid":false,"reason":"Invalid email format"}`,
		},
		{Name: "empty", Args: `{"email":""}`, Want: `{"email":"","valid":false,"reason":"Invalid email format: there is no @"}`},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "email"},
		{Name: "a list", Args: `{"email":["a@example.org"]}`, Fails: tool.ValidationError, Message: "email"},
	})
}
