"""Write attempts and events to the ledger, read journals back."""
