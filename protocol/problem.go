package protocol

// Error types of a request that failed as a whole.
const (
	BadRequest      = "bad_request"
	Unauthenticated = "unauthenticated"
	Forbidden       = "forbidden"
	NotFound        = "not_found"
	Conflict        = "conflict"
	TooLarge        = "too_large"
	TooMany         = "overloaded"
	Unavailable     = "unavailable"
	OverQuota       = "rate_limited"
)

// Problem is the RFC 9457 body of a request that failed as a whole.
type Problem struct {
	Type      string `json:"type" doc:"Always about:blank: branch on error_type."`
	Title     string `json:"title" doc:"The name of the status."`
	Status    int    `json:"status" doc:"The HTTP status."`
	Detail    string `json:"detail" doc:"One sentence: the cause and what to do."`
	ErrorType string `json:"error_type" enum:"bad_request,unauthenticated,forbidden,not_found,conflict,too_large,overloaded,unavailable,rate_limited" doc:"The cause, for a program; a closed set."`
	// SignIn is set in a 401 over HTTP if people can sign in with a browser.
	SignIn *SignIn `json:"sign_in,omitempty" doc:"On a 401: how people can sign in with a browser."`
	// SignedInAs is set in a 409 over HTTP for a page that shows another person.
	SignedInAs *string `json:"signed_in_as,omitempty" doc:"On a 409 for a request with the header Helve-Acting-As: who is signed in instead. Nothing was done."`
}

// OverloadedProblem is a problem with the results of the refused calls. There are no
// results if the request was refused before its calls were read.
type OverloadedProblem struct {
	Problem

	TraceID string   `json:"trace_id,omitempty" doc:"The trace of the request."`
	Results []Result `json:"results,omitempty" doc:"One result element for each call, in the order asked."`
}

// Fault is the body of a failure over NATS. The headers carry its code and message too.
type Fault struct {
	ErrorType string `json:"error_type" enum:"bad_request,unauthenticated,forbidden,not_found,conflict,too_large,overloaded,unavailable,rate_limited" doc:"The cause, for a program; a closed set."`
	Message   string `json:"message" doc:"One sentence: the cause and what to do."`
}

// Empty is the answer of an operation that returns nothing.
type Empty struct{}
