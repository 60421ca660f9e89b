const inputs = (names: string) => names.split(/\s+/).map(name => `input.${name}`)

/** Requests that the second agent refuses with 400. */
export const REFUSED = inputs(`missing_task_id missing_input empty_object task_id_null task_id_number
  task_id_object input_null input_number input_array input_object config_string config_array config_null
  system_prompt_number max_tokens_text max_tokens_zero max_tokens_negative max_tokens_fraction
  enabled_tools_string enabled_tools_numbers task_id_empty input_empty input_blank broken_json no_json
  two_documents empty_body blank_body array string null byte_order_mark`)

/** Requests that the second agent treats as tasks, and fails. */
export const FAILED = inputs(`enabled_tools_unknown enabled_tools_long_name enabled_tools_many input_nul
  input_surrogate input_markup input_injection input_long invalid_utf8`)
