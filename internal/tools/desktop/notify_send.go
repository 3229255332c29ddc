package desktop

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type notifySendArgs struct {
	Title   string `json:"title" min:"1" max:"200" doc:"First line, in a few words."`
	Body    string `json:"body,omitempty" max:"2000" doc:"The text below it, without formatting."`
	Message string `json:"message,omitempty" max:"2000" doc:"Another name of body."`
	Urgency string `json:"urgency" enum:"low,normal,critical" default:"normal" doc:"critical stays until it is dismissed."`
}

type notifySendResult struct {
	Sent  bool   `json:"sent"`
	Title string `json:"title"`
}

var _ = tool.Add(Set, tool.Spec[notifySendArgs, notifySendResult]{
	Name: "notify.send",
	Description: "Show the person a notification on their desktop, to tell them of something now such as the end of a long task, " +
		"and return that it was sent.",
	Tags:       []string{"notification", "notify", "alert", "desktop", "message", "popup", "remind", "toast"},
	Pool:       pool,
	Risk:       tool.Low,
	Mutates:    true,
	Idempotent: false,
	Needs:      tool.NeedDesktop,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"title":"Report ready","body":"report.csv has 12 rows."}`,
	Timeout:    10 * time.Second,
	Check:      checkNotification,
	Run:        notifySend,
})

func checkNotification(_ context.Context, _ *tool.Call, args notifySendArgs) error {
	switch {
	case args.Body != "" && args.Message != "" && args.Body != args.Message:
		return tool.Fail(tool.ValidationError, "body and message are two names of one text; leave one of them out.")
	case strings.TrimSpace(args.Title) == "":
		return tool.Fail(tool.ValidationError, "The title is blank.")
	case strings.ContainsRune(args.Title+args.Body+args.Message, 0):
		return tool.Fail(tool.ValidationError, "A notification must not contain a zero byte.")
	}
	return nil
}

func notifySend(ctx context.Context, call *tool.Call, args notifySendArgs) (notifySendResult, error) {
	body := args.Body
	if body == "" {
		body = args.Message
	}
	if err := call.Desktop.Notify(ctx, tool.Notification{Title: args.Title, Body: body, Urgency: args.Urgency}); err != nil {
		return notifySendResult{}, err
	}
	return notifySendResult{Sent: true, Title: args.Title}, nil
}
