package tool

import "context"

type patientKey struct{}

// WithPatience returns a context whose requests wait for the beginning of an answer as long
// as the context lasts. Otherwise [HTTP] gives up earlier. It is meant for services that
// work for minutes before they answer, such as models.
func WithPatience(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// Patient reports whether ctx is a context of WithPatience, for implementations of [HTTP].
func Patient(ctx context.Context) bool {
	patient, _ := ctx.Value(patientKey{}).(bool)
	return patient
}
