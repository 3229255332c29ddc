package tool

import "context"

// Desktop is the desktop of the person whose machine the worker runs on. Errors are
// [*Error]: not_configured if there is no desktop, or if the desktop lacks the
// function.
type Desktop interface {
	// ReadClipboard returns the text of the clipboard.
	ReadClipboard(ctx context.Context) (string, error)
	// WriteClipboard puts text into the clipboard.
	WriteClipboard(ctx context.Context, text string) error
	// Notify shows a notification.
	Notify(ctx context.Context, n Notification) error
	// Open opens an application by name; the call's scopes must contain it.
	Open(ctx context.Context, app string, args []string) error
	// OpenURL shows an http or https page in the person's browser.
	OpenURL(ctx context.Context, url string) error
}

// Notification is a message shown briefly on the desktop.
type Notification struct {
	Title, Body string
	// Urgency is low, normal or critical; normal if empty.
	Urgency string
}
