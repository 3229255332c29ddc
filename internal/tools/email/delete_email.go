package email

import (
	"context"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	EmailID   string `json:"emailId" alias:"id" min:"1" max:"200" doc:"Id of the mail, from list_emails or search_emails."`
	Folder    string `json:"folder,omitempty" max:"300" doc:"Folder of the mail; the id names it already."`
	Permanent bool   `json:"permanent,omitempty" doc:"Delete it for ever, instead of moving it to the trash." default:"false"`
}

type deleteQuery struct {
	ID        string `json:"id"`
	Folder    string `json:"folder"`
	Permanent bool   `json:"permanent"`
}

type deleteResult struct {
	Action  string      `json:"action" enum:"move_to_trash,permanent_delete"`
	ID      string      `json:"id"`
	Folder  string      `json:"folder" doc:"Folder that the mail was in."`
	MovedTo string      `json:"movedTo,omitempty" doc:"Folder that the mail is in now."`
	NewID   string      `json:"newId,omitempty" doc:"Id of the mail there, if the server tells it."`
	Query   deleteQuery `json:"query"`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:        "delete_email",
	Description: "Move one mail to the trash of the mailbox, or delete it for ever with permanent.",
	Tags:        []string{"mail", "email", "remove mail", "trash", "delete mail"},
	Example:     `{"emailId":"g-y1Ib8yD2cAAAABAAAAAQ"}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Destructive: true,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}},
	Needs:       tool.NeedDialer | tool.NeedSecrets,
	Errors:      []tool.Kind{tool.NotConfigured, tool.NotFound, tool.NetworkError, tool.ExecutionError},
	Timeout:     quick,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		return checkID(ctx, call, args.EmailID)
	},
	Run: deleteEmail,
})

func deleteEmail(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	id, err := mailbox.ParseID(args.EmailID)
	if err != nil {
		return nil, err
	}
	server, err := mail.Find(ctx, call, mail.IMAP)
	if err != nil {
		return nil, err
	}
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	var done *mailbox.Removed
	res := &deleteResult{Action: "move_to_trash", ID: id.String()}
	if args.Permanent {
		res.Action = "permanent_delete"
		done, err = box.Delete(id, args.Folder)
	} else {
		done, err = box.MoveToTrash(id, args.Folder, server.Field("trash"))
	}
	if err != nil {
		return nil, err
	}
	res.Folder, res.MovedTo = done.Folder, done.Trash
	res.Query = deleteQuery{args.EmailID, done.Folder, args.Permanent}
	if done.New != nil {
		res.NewID = done.New.String()
	}
	if done.Marked {
		call.Note("The server can only remove all mails of a folder that are marked as deleted, and others are; " +
			"the mail is marked, and goes when the folder is cleaned up.")
	}
	return res, nil
}
