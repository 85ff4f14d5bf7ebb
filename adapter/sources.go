package adapter

import (
	"path/filepath"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// driverReference is the sourceReference of the driver, the one source without
// a file.
const driverReference = 1

// sourceOf returns what a client needs to show a file.
func (s *session) sourceOf(file string) *dap.Source {
	switch file {
	case "":
		return nil
	case statetree.DriverFile:
		return &dap.Source{Name: statetree.DriverFile, SourceReference: driverReference, Origin: "the call that is predicted"}
	}
	return &dap.Source{Name: filepath.Base(file), Path: s.pathToClient(file)}
}

// onSource returns a source's text: the driver's, or the snapshot of the
// program. Other files are not for whoever reaches the port to read.
func (s *session) onSource(r *dap.SourceRequest) (dap.ResponseMessage, error) {
	if s.config == nil {
		return nil, notNow("source: nothing is launched")
	}
	response := &dap.SourceResponse{Response: *newResponse(&r.Request), Body: dap.SourceResponseBody{MimeType: "text/x-python"}}
	a := r.Arguments
	if a.SourceReference == 0 && a.Source != nil {
		a.SourceReference = a.Source.SourceReference
	}
	switch {
	case a.SourceReference == driverReference && s.target.Program.Entry.Driver != "":
		response.Body.Content = source.DriverSource(s.target.Program.Entry)
	case a.SourceReference != 0:
		return nil, badArguments("source: no source has the reference %d", a.SourceReference)
	case a.Source == nil || a.Source.Path == "":
		return nil, badArguments("source: neither a reference nor a path is given")
	case canonicalPath(s.pathFromClient(a.Source.Path)) != s.files.key:
		return nil, badArguments("source: %s is not part of the program", a.Source.Path)
	default:
		response.Body.Content = s.files.program.Text()
	}
	return response, nil
}

// onLoadedSources lists the files whose code is in the program, and the driver.
func (s *session) onLoadedSources(r *dap.LoadedSourcesRequest) (dap.ResponseMessage, error) {
	response := &dap.LoadedSourcesResponse{
		Response: *newResponse(&r.Request), Body: dap.LoadedSourcesResponseBody{Sources: []dap.Source{}},
	}
	seen := map[string]bool{"": true}
	for _, o := range s.target.Program.Origins {
		if !seen[o.File] {
			seen[o.File] = true
			response.Body.Sources = append(response.Body.Sources, *s.sourceOf(o.File))
		}
	}
	return response, nil
}
