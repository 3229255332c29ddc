package tool

import "context"

// Desktop is the desktop of the person whose machine the worker runs on. Errors are
// [*Error]: not_configured where there is no desktop, or none that can do it.
type Desktop interface {
	// ReadClipboard returns the text of the clipboard.
	ReadClipboard(ctx context.Context) (string, error)
	// WriteClipboard puts text into the clipboard.
	WriteClipboard(ctx context.Context, text string) error
	// Notify shows a notification.
	Notify(ctx context.Context, n Notification) error
	// Open opens an application by name, which the call's scopes must hold.
	Open(ctx context.Context, app string, args []string) error
	// OpenURL shows an http or https page in the person's browser.
	OpenURL(ctx context.Context, url string) error
}

// Notification is what a person is shown for a moment.
type Notification struct {
	Title, Body string
	// Urgency is low, normal or critical; normal if empty.
	Urgency string
}
