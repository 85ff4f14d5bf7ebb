package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/google/go-dap"
)

// longestCommand is how much of an unknown command's name is repeated in the
// answer: a client may send any.
const longestCommand = 64

// decode reads one message. It reports false for what is no request: there is
// nothing to answer.
func decode(body []byte) (incoming, bool) {
	var m incoming
	if err := json.Unmarshal(body, &m.head); err != nil {
		// The head may be readable where a part of it has a wrong type.
		var seq struct {
			Seq  int    `json:"seq"`
			Type string `json:"type"`
		}
		_ = json.Unmarshal(body, &seq)
		m.head.Seq, m.err = seq.Seq, err
		return m, seq.Type == "" || seq.Type == "request"
	}
	if len(m.head.Command) > longestCommand {
		m.head.Command = m.head.Command[:longestCommand] + "…"
	}
	switch m.head.Type {
	case "request":
	case "response", "event":
		return m, false
	default:
		m.err = fmt.Errorf(`type is %.20q, must be "request"`, m.head.Type)
		return m, true
	}
	message, err := codec.DecodeMessage(body)
	if err != nil {
		m.err = err
		return m, true
	}
	if r, ok := message.(*dap.InitializeRequest); ok {
		countFrom1(&r.Arguments, body)
	}
	m.request, _ = message.(dap.RequestMessage)
	return m, m.request != nil
}

// codec knows the requests of the protocol and those of this adapter alone.
var codec = newCodec()

func newCodec() *dap.Codec {
	c := dap.NewCodec()
	if err := c.RegisterRequest(chooseAlternativeCommand,
		func() dap.Message { return &chooseAlternativeRequest{} },
		func() dap.Message { return &chooseAlternativeResponse{} }); err != nil {
		panic(err) // the command is registered once
	}
	return c
}

// countFrom1 makes lines and columns count from 1 where an initialize request
// does not say, as the protocol has it.
func countFrom1(a *dap.InitializeRequestArguments, body []byte) {
	var said struct {
		Arguments struct {
			LinesStartAt1, ColumnsStartAt1 *bool
		} `json:"arguments"`
	}
	_ = json.Unmarshal(body, &said) // was decoded before
	a.LinesStartAt1 = said.Arguments.LinesStartAt1 == nil || *said.Arguments.LinesStartAt1
	a.ColumnsStartAt1 = said.Arguments.ColumnsStartAt1 == nil || *said.Arguments.ColumnsStartAt1
}

// dispatch calls the handler of a request and returns its response.
func (s *session) dispatch(request dap.RequestMessage) (dap.ResponseMessage, error) {
	if _, ok := request.(*dap.InitializeRequest); !ok && !s.initialized {
		if _, ok := request.(*dap.DisconnectRequest); !ok {
			return nil, notNow("%s came before initialize", request.GetRequest().Command)
		}
	}
	command := request.GetRequest().Command
	handle, ok := handlers[command]
	if !ok {
		return nil, &requestError{id: idUnknownRequest, message: "the " + command + " request is not supported"}
	}
	return handle(s, request)
}
