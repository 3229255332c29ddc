package protocol

// Kind is the error_type of a failed call. The set is closed, so callers can branch on
// it.
type Kind string

// The kinds of failure of a call.
const (
	ToolNotFound     Kind = "tool_not_found"
	ToolNotAvailable Kind = "tool_not_available"
	// ItemNotFound means that no item has the id in the arguments. The message names
	// the tool that lists the items.
	ItemNotFound         Kind = "not_found"
	ValidationError      Kind = "validation_error"
	ConfirmationRequired Kind = "confirmation_required"
	PermissionDenied     Kind = "permission_denied"
	PolicyDenied         Kind = "policy_denied"
	ConsentExpired       Kind = "consent_expired"
	Timeout              Kind = "timeout"
	Cancelled            Kind = "cancelled"
	ExecutionError       Kind = "execution_error"
	PathNotAllowed       Kind = "path_not_allowed"
	FileNotFound         Kind = "file_not_found"
	FileTooLarge         Kind = "file_too_large"
	NetworkError         Kind = "network_error"
	RateLimited          Kind = "rate_limited"
	Overloaded           Kind = "overloaded"
	NotConfigured        Kind = "not_configured"
	OutcomeUnknown       Kind = "outcome_unknown"
	Unsupported          Kind = "unsupported"
	Internal             Kind = "internal"
)

// Kinds returns every [Kind].
func Kinds() []Kind {
	return []Kind{
		ToolNotFound, ToolNotAvailable, ItemNotFound, ValidationError, ConfirmationRequired, PermissionDenied,
		PolicyDenied, ConsentExpired, Timeout, Cancelled, ExecutionError, PathNotAllowed, FileNotFound,
		FileTooLarge, NetworkError, RateLimited, Overloaded, NotConfigured, OutcomeUnknown, Unsupported, Internal,
	}
}
