"""TPL (`.tpl`): a C-like toy language over finite values and named shared locations."""
